/**
 * Markdown that is still being written. Blocks behind which a whole line of the next one stands cannot change any more:
 * they are made once and frozen; only what follows them is parsed again as the text grows. Pure.
 *
 * What a later definition of a link or a list that goes on after a break would change in a frozen block is put right
 * when the whole message is stored and drawn as one.
 */
import { Marked } from "marked";
import { blocksOf, type Block } from "./blocks";
import { mathExtensions } from "./math";

export interface Streamed {
  /** The text as far as it has come. */
  text: string;
  /** Where the frozen part ends in it. */
  frozenEnd: number;
  /** Blocks that stay as they are; the same objects from one state to the next. */
  frozen: readonly Block[];
  /** The blocks of the rest. */
  tail: readonly Block[];
}

export const emptyStream: Streamed = { text: "", frozenEnd: 0, frozen: [], tail: [] };

const parser = new Marked({ gfm: true, breaks: false, extensions: mathExtensions });

/** The text has come further. One that does not begin like the one before is another: everything is made anew. */
export function advance(before: Streamed, text: string): Streamed {
  if (text === before.text) return before;
  const from = text.startsWith(before.text) ? before : emptyStream;
  const end = frozenUpTo(text, from.frozenEnd);
  const fresh = end > from.frozenEnd ? blocksOf(text.slice(from.frozenEnd, end)) : [];
  return {
    text,
    frozenEnd: end,
    frozen: fresh.length > 0 ? [...from.frozen, ...fresh] : from.frozen,
    tail: blocksOf(text.slice(end), { passing: true }),
  };
}

/** Up to where the text is sure: before the last block of its whole lines. */
function frozenUpTo(text: string, from: number): number {
  const lineEnd = text.lastIndexOf("\n") + 1;
  if (lineEnd <= from) return from;
  try {
    const tokens = parser.lexer(text.slice(from, lineEnd));
    let last = tokens.length - 1;
    while (last >= 0 && tokens[last]?.type === "space") last--;
    let end = from;
    for (let i = 0; i < last; i++) end += tokens[i]?.raw.length ?? 0;
    // The parser rewrites line ends and the like: then lengths say nothing, and nothing is frozen.
    const raw = tokens.slice(0, Math.max(0, last)).map((token) => token.raw);
    return text.startsWith(raw.join(""), from) ? end : from;
  } catch {
    return from;
  }
}
