/** Short words of rows: durations, times, the argument of a tool line, a guess of a row's height. Pure. */
import type { MessageRow } from "../../ipc/generated/MessageRow";

/** `0.3 s`, `42 s`, `1 min 52 s`, `6 h 02 min`. Milliseconds; a negative one counts as none. */
export function formatDuration(ms: number): string {
  const tenths = Math.round(Math.max(0, ms) / 100);
  if (tenths === 0) return "< 0.1 s";
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const seconds = Math.round(tenths / 10);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** The same for what is counted on the screen: whole seconds from the first on. */
export function formatSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** `14:06` today, `3 Feb, 14:06`, with the year when it is another one. */
export function formatTime(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.toDateString() === today.toDateString()) return clock.format(at);
  const date = then.getFullYear() === today.getFullYear() ? day : dayYear;
  return `${date.format(at)}, ${clock.format(at)}`;
}

/** What a person looks for first in the arguments of a call, in this order. */
const TELLING = [
  "command",
  "cmd",
  "path",
  "file_path",
  "filename",
  "file",
  "url",
  "query",
  "pattern",
  "goal",
  "prompt",
  "name",
  "code",
  "session_id",
  "action",
];
const MAX_ARGUMENT = 300;
// Controls and the marks that turn the direction of text: a tool line must not be able to rewrite itself.
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** One line that says what a call was about. */
export function shortArgument(source: string | null): string {
  if (source === null) return "";
  return oneLine(telling(source));
}

function telling(source: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch {
    return unfinished(source) ?? source;
  }
  if (typeof parsed === "string") return parsed;
  if (typeof parsed !== "object" || parsed === null) return source;
  const fields = parsed as Record<string, unknown>;
  for (const key of TELLING) {
    const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  const values = Object.values(fields);
  if (values.length === 0) return "";
  const only = values.find((value) => typeof value === "string" && value.trim() !== "");
  return typeof only === "string" ? only : JSON.stringify(parsed);
}

/** What arguments say so far that are still being written; null when they are not JSON that goes on. */
function unfinished(source: string): string | null {
  if (!/^\{(\s*"|\s*$)/.test(source)) return null;
  for (const key of TELLING) {
    const found = new RegExp(`"${key}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(source)?.[1];
    if (found === undefined || found === "") continue;
    try {
      return JSON.parse(`"${found}"`) as string;
    } catch {
      return found;
    }
  }
  return "";
}

/** Text on one line, without what could rewrite it, cut at a letter's border. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_ARGUMENT * 4)
    .replace(HARMFUL, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= MAX_ARGUMENT) return line;
  const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let cut = "";
  for (const { segment } of letters.segment(line)) {
    if (cut.length + segment.length > MAX_ARGUMENT) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Arguments laid out for reading; what is not JSON stays as the model wrote it. */
export function prettyArguments(source: string): string {
  try {
    return JSON.stringify(JSON.parse(source), null, 2);
  } catch {
    return source;
  }
}

/** Pixels between two rows that do not join. */
export const GAP = 14;
const LINE = 22;
const LETTERS_A_LINE = 100;

/** A guess of a row's height before it is drawn; the nearer, the less the scroll bar moves. */
export function guessHeight(row: MessageRow): number {
  const lines = (text: string) => {
    let count = 1;
    for (let at = text.indexOf("\n"); at >= 0 && count < 2_000; at = text.indexOf("\n", at + 1)) count++;
    return count + Math.floor(text.length / LETTERS_A_LINE);
  };
  switch (row.role) {
    case "tool":
      return 28;
    case "notice":
      return GAP + 96;
    case "summary":
    case "system":
      return GAP + 28;
    case "user":
      return GAP + 18 + lines(row.text) * LINE + row.media.length * 200;
    case "assistant":
      return GAP + lines(row.text) * LINE + row.media.length * 320 + (row.reasoning ? 32 : 0);
  }
}
