/** Why a file cannot be shown, in words, with its way out. Pure. */
import type { ErrorCode } from "../../ipc/generated/ErrorCode";
import { mediaTexts as texts } from "../../lib/texts/chat";
import { formatName } from "./names";

/** What the card carries as `data-media-code`. */
export type ProblemCode =
  | "missing"
  | "unsupported"
  | "blocked"
  | "remote"
  /** No decoder for it. */
  | "codec"
  /** A video without a picture; its sound plays. */
  | "no_picture"
  /** A picture the web view cannot read. */
  | "broken"
  /** Reading stopped on the way. */
  | "aborted"
  /** The command itself failed. */
  | "failed";

export interface Problem {
  code: ProblemCode;
  title: string;
  words: string;
  /** A command to copy. */
  command: string | null;
  canRetry: boolean;
  canCopyPath: boolean;
}

/** The packages that hold the decoders WebKitGTK lacks without them; measured, `libav` first since it plays most. */
const COMMAND = "sudo apt install gstreamer1.0-libav gstreamer1.0-plugins-bad";
const MEDIA_NAMES = new Set(
  "AAC AVI BMP FLAC GIF JPEG JPG M4A M4V MKV MOV MP3 MP4 OGA OGG OGV OPUS PNG WAV WEBM WEBP".split(" "),
);

export interface Subject {
  name: string;
  /** As the message spells it. */
  path: string;
  linux: boolean;
}

export function problemOf(code: ProblemCode, { name, path, linux }: Subject, said = ""): Problem {
  const base = { code, command: null, canRetry: false, canCopyPath: false };
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
        ? { ...base, title: texts.notMedia, words: texts.notMediaWords(format), canCopyPath: true }
        : { ...base, title: texts.noView, words: texts.noViewWords(path), canCopyPath: true };
    }
    case "blocked":
      return { ...base, title: texts.blocked, words: texts.blockedWords };
    case "remote":
      return { ...base, title: texts.otherComputer, words: texts.otherComputerWords, canCopyPath: true };
    case "codec":
      return {
        ...base,
        title: texts.codec(formatName(name) || name),
        words: linux ? texts.codecWords : texts.codecOther,
        command: linux ? COMMAND : null,
        canRetry: true,
      };
    case "no_picture":
      return {
        ...base,
        title: texts.noPicture,
        words: texts.noPictureWords,
        command: linux ? COMMAND : null,
      };
    case "broken":
      return { ...base, title: texts.pictureBroken, words: texts.pictureBrokenWords, canRetry: true };
    case "aborted":
      return { ...base, title: texts.aborted, words: texts.abortedWords, canRetry: true };
    case "failed":
      return { ...base, title: texts.failed, words: said || texts.abortedWords, canRetry: true };
  }
}

/** The card's code for an error of `media_open`. */
export function codeOfError(code: ErrorCode): ProblemCode {
  return code === "missing" || code === "unsupported" || code === "blocked" || code === "remote"
    ? code
    : "failed";
}

/** The card's code for a `MediaError.code` once no address is left to try (HTML, "error codes"). */
export function codeOfMediaError(code: number | undefined): ProblemCode {
  // 1 and 2: the reading ended. 3 and 4: what came cannot be decoded here.
  return code === 1 || code === 2 ? "aborted" : "codec";
}
