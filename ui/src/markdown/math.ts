/**
 * Math in messages: where it starts and ends (`marked` extensions), and its picture by KaTeX.
 *
 * `$...$` is math only when its inside neither begins nor ends with a blank and no digit follows, so that prices stay
 * text. KaTeX is bound: no trust, no macros that outlive a formula, short input, small sizes.
 */
import katex from "katex";
import type { TokenizerAndRendererExtension } from "marked";
import { escapeHtml } from "./escape";
import { sanitizeMath } from "./sanitize";

/** Characters of TeX. Longer ones are text: a formula of this length is a program. */
const MAX_INLINE = 2_000;
const MAX_BLOCK = 8_000;

export interface MathMatch {
  /** With its marks. */
  raw: string;
  tex: string;
  display: boolean;
}

/** Math at the very start of `source`, in running text. */
export function inlineMathAt(source: string): MathMatch | null {
  if (source.startsWith("$$")) return closedBy(source, "$$", "$$", MAX_INLINE, true);
  if (source.startsWith("\\(")) return closedBy(source, "\\(", "\\)", MAX_INLINE, false);
  if (source.startsWith("\\[")) return closedBy(source, "\\[", "\\]", MAX_INLINE, true);
  if (!source.startsWith("$")) return null;
  const end = closingDollar(source.slice(0, MAX_INLINE + 2));
  if (end < 0) return null;
  const tex = source.slice(1, end);
  if (/^\s|\s$/.test(tex) || tex.includes("\n\n")) return null;
  if (/^[0-9]/.test(source.slice(end + 1))) return null;
  return { raw: source.slice(0, end + 1), tex, display: false };
}

/** A formula that stands as a block of its own at the very start of `source`. */
export function blockMathAt(source: string): MathMatch | null {
  const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(source)?.[0] ?? "";
  const rest = source.slice(indent.length);
  const match = rest.startsWith("$$")
    ? closedBy(rest, "$$", "$$", MAX_BLOCK, true)
    : rest.startsWith("\\[")
      ? closedBy(rest, "\\[", "\\]", MAX_BLOCK, true)
      : null;
  if (match === null) return null;
  const tail = /^[ \t]*(?:\n|$)/.exec(rest.slice(match.raw.length));
  // Words behind it: a formula inside a paragraph.
  return tail === null ? null : { ...match, raw: indent + match.raw + tail[0] };
}

function closedBy(
  source: string,
  open: string,
  close: string,
  limit: number,
  display: boolean,
): MathMatch | null {
  const end = source.slice(0, limit + open.length + close.length).indexOf(close, open.length);
  if (end < 0) return null;
  const tex = source.slice(open.length, end);
  if (tex.trim() === "") return null;
  return { raw: source.slice(0, end + close.length), tex, display };
}

function closingDollar(source: string): number {
  for (let i = 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "$") return i > 1 ? i : -1;
  }
  return -1;
}

/** Where the next formula in running text may start; a dollar inside a word ("US$5") never does. */
function nextInline(source: string): number | undefined {
  const match = /(?<![\p{L}\p{N}$\\])\$|\\[([]/u.exec(source);
  return match?.index;
}

export const mathExtensions: TokenizerAndRendererExtension[] = [
  {
    name: "mathBlock",
    level: "block",
    start: (source) => {
      const match = /\n {0,3}(?:\$\$|\\\[)/.exec(source);
      return match ? match.index + 1 : undefined;
    },
    tokenizer: (source) => {
      const match = blockMathAt(source);
      return match ? { type: "mathBlock", ...match } : undefined;
    },
  },
  {
    name: "mathInline",
    level: "inline",
    start: nextInline,
    tokenizer: (source) => {
      const match = inlineMathAt(source);
      return match ? { type: "mathInline", ...match } : undefined;
    },
  },
];

/** Safe HTML of a formula; TeX that KaTeX cannot read comes back as its source, marked as such. */
export function renderMath(tex: string, display: boolean): string {
  try {
    const html = katex.renderToString(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxSize: 20,
      maxExpand: 300,
      macros: {},
      output: "htmlAndMathml",
    });
    return `<span class="md-math${display ? " md-math-block" : ""}">${sanitizeMath(html)}</span>`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return `<code class="md-math-source" title="${escapeHtml(reason.slice(0, 300))}">${escapeHtml(tex)}</code>`;
  }
}
