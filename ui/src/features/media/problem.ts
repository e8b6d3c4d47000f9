/** Why a file cannot be shown, in words, with its way out. Pure. */
import type { ErrorCode } from "../../ipc/generated/ErrorCode";
import { mediaTexts as texts } from "../../lib/texts/media";
import { installCommand } from "./codecs";
import { formatName } from "./names";

/** What the card carries as `data-media-code`. */
export type ProblemCode =
  | "missing"
  | "unsupported"
  /** A picture that is too large to be shown. */
  | "too_large"
  | "blocked"
  | "remote"
  /** No decoder for it. */
  | "codec"
  /** The decoders are there, and still it does not play. */
  | "damaged"
  /** There is nothing in it. */
  | "empty"
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

export interface Subject {
  name: string;
  linux: boolean;
  /** On Linux: the packages whose decoders are missing for this kind of file. */
  packages: readonly string[];
}

/** What the host said of a file, made for people: its first sentence is the title, the rest the words. */
function hostWords(said: string, title: string): { title: string; words: string } {
  const [, first, rest] = /^(.+?)\.\s+(.+)$/s.exec(said) ?? [];
  return first !== undefined && rest !== undefined ? { title: first, words: rest } : { title, words: said };
}

/** `said`: the host's own words, where it is the host who does not give the file. */
export function problemOf(code: ProblemCode, subject: Subject, said = ""): Problem {
  const { name, linux } = subject;
  const command = linux ? installCommand(subject.packages) : null;
  const base = { code, command: null, canRetry: false, canCopyPath: false, actions: [] };
  switch (code) {
    case "missing":
      return { ...base, ...hostWords(said, texts.missing), canRetry: true, canCopyPath: true };
    case "unsupported":
      return { ...base, ...hostWords(said, texts.notShown), canCopyPath: true, actions: ["reveal"] };
    case "too_large":
      return { ...base, ...hostWords(said, texts.tooLarge), actions: ALL };
    case "blocked":
      return { ...base, ...hostWords(said, texts.blocked) };
    case "remote":
      return { ...base, ...hostWords(said, texts.otherComputer), canCopyPath: true };
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
    case "empty":
      return { ...base, title: texts.empty, words: texts.emptyWords, canRetry: true, actions: ["reveal"] };
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
      // Also where nothing can carry it to the player: another program still plays it.
      return {
        ...base,
        title: texts.failed,
        words: said || texts.abortedWords,
        canRetry: true,
        actions: ALL,
      };
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
  switch (code) {
    case "missing":
    case "unsupported":
    case "too_large":
    case "blocked":
    case "remote":
      return code;
    default:
      return "failed";
  }
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
