/** Why a file cannot be shown, in words, with its way out. Pure. */
import type { ErrorCode } from "../../ipc/generated/ErrorCode";
import { mediaTexts as texts } from "../../lib/texts/media";
import { installCommand } from "./codecs";
import { formatName } from "./names";

/** What the card carries as `data-media-code`. */
export type ProblemCode =
  | "missing"
  | "unsupported"
  | "blocked"
  | "remote"
  /** No decoder for it. */
  | "codec"
  /** The decoders are there, and still it does not play. */
  | "damaged"
  /** A video without a picture; its sound plays. */
  | "no_picture"
  /** A picture the web view cannot read. */
  | "broken"
  /** Reading stopped on the way. */
  | "aborted"
  /** The command itself failed. */
  | "failed"
  /** The player has no way to the file. */
  | "no_player";

/** What the card offers to do with the file itself. */
export type FileAction = "open" | "reveal" | "save";

export interface Problem {
  code: ProblemCode;
  title: string;
  words: string;
  /** A command to copy. */
  command: string | null;
  canRetry: boolean;
  canCopyPath: boolean;
  actions: readonly FileAction[];
}

const ALL: readonly FileAction[] = ["open", "reveal", "save"];
const MEDIA_NAMES = new Set(
  "AAC AVI BMP FLAC GIF JPEG JPG M4A M4V MKV MOV MP3 MP4 OGA OGG OGV OPUS PNG WAV WEBM WEBP".split(" "),
);

export interface Subject {
  name: string;
  /** As the message spells it. */
  path: string;
  linux: boolean;
  /** On Linux: the packages whose decoders are missing for this kind of file. */
  packages: readonly string[];
}

export function problemOf(code: ProblemCode, subject: Subject, said = ""): Problem {
  const { name, path, linux } = subject;
  const command = linux ? installCommand(subject.packages) : null;
  const base = { code, command: null, canRetry: false, canCopyPath: false, actions: [] };
  switch (code) {
    case "missing":
      return {
        ...base,
        title: texts.missing,
        words: texts.missingWords(path),
        canRetry: true,
        canCopyPath: true,
      };
    case "unsupported": {
      const format = formatName(name);
      return MEDIA_NAMES.has(format)
        ? {
            ...base,
            title: texts.notMedia,
            words: texts.notMediaWords(format),
            canCopyPath: true,
            actions: ["reveal"],
          }
        : {
            ...base,
            title: texts.noView,
            words: texts.noViewWords(path),
            canCopyPath: true,
            actions: ["reveal"],
          };
    }
    case "blocked":
      return { ...base, title: texts.blocked, words: texts.blockedWords };
    case "remote":
      return { ...base, title: texts.otherComputer, words: texts.otherComputerWords, canCopyPath: true };
    case "codec":
      return {
        ...base,
        title: texts.codec(formatName(name) || name),
        words: command === null ? texts.codecOther : texts.codecWords,
        command,
        canRetry: true,
        actions: ALL,
      };
    case "damaged":
      return { ...base, title: texts.damaged, words: texts.damagedWords, canRetry: true, actions: ALL };
    case "no_picture":
      return {
        ...base,
        title: texts.noPicture,
        words: command === null ? texts.noPictureWords : texts.noPictureCodec,
        command,
        actions: ALL,
      };
    case "broken":
      return {
        ...base,
        title: texts.pictureBroken,
        words: texts.pictureBrokenWords,
        canRetry: true,
        actions: ALL,
      };
    case "aborted":
      return { ...base, title: texts.aborted, words: texts.abortedWords, canRetry: true, actions: ALL };
    case "failed":
      return { ...base, title: texts.failed, words: said || texts.abortedWords, canRetry: true };
    case "no_player":
      return {
        ...base,
        title: texts.noPlayer,
        words: said || texts.abortedWords,
        canRetry: true,
        actions: ALL,
      };
  }
}

/** The card's code for an error of `media_open`. */
export function codeOfError(code: ErrorCode): ProblemCode {
  return code === "missing" || code === "unsupported" || code === "blocked" || code === "remote"
    ? code
    : "failed";
}

/**
 * The card's code for a `MediaError.code` (HTML, "error codes") once nothing is left to try. `wasReady`: the metadata
 * were there, so a decoder was, too. `lacks`: packages are missing for this kind of file, or nobody can tell.
 */
export function codeOfMediaError(
  code: number | undefined,
  { wasReady, lacks }: { wasReady: boolean; lacks: boolean },
): ProblemCode {
  // 1 and 2: the reading ended. 3 and 4: what came cannot be decoded here.
  if (code === 1 || code === 2) return "aborted";
  return wasReady || !lacks ? "damaged" : "codec";
}
