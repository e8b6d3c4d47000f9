/**
 * A message's Markdown as blocks. A block whose source is unchanged keeps its identity, so a growing message redraws
 * only its last one, and a message that scrolls back into view is not parsed again.
 */
import { Marked, type Token, type Tokens, type TokensList } from "marked";
import { inlineHtml } from "./inline";
import { isDataPicture, remoteAddress } from "./links";
import { mathExtensions, renderMath, type MathMatch } from "./math";
import { BLOCK_TAGS, sanitizeText } from "./sanitize";

export type Align = "start" | "center" | "end";

export type Block =
  /** `html` is sanitized. */
  | { kind: "text"; tag: "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "div"; html: string }
  | { kind: "code"; language: string; title: string; text: string }
  | { kind: "math"; html: string }
  | { kind: "list"; ordered: boolean; start: number; loose: boolean; items: Item[] }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "table"; head: Cell[]; rows: Cell[][] }
  | { kind: "rule" }
  /** A picture on another computer: a card that names the host. */
  | { kind: "remote"; address: string; alt: string }
  /** Shown as it was written. */
  | { kind: "plain"; text: string };

export interface Item {
  /** Null: not a task. */
  done: boolean | null;
  blocks: Block[];
}

export interface Cell {
  html: string;
  align: Align;
  numeric: boolean;
}

export interface BlockOptions {
  /** A single line end is a line end, as people type (CommonMark joins the lines). */
  lineBreaks?: boolean;
  /** The text is about to change: its blocks are not worth remembering. */
  passing?: boolean;
}

/** UTF-8 bytes above which a message is plain text; `spec/security.md`. */
export const MAX_MARKDOWN_BYTES = 1024 * 1024;
const MAX_DEPTH = 12;

const strict = new Marked({ gfm: true, breaks: false, extensions: mathExtensions });
const typed = new Marked({ gfm: true, breaks: true, extensions: mathExtensions });

/** Blocks by their source. Bound by characters, oldest out first. */
const known = new Map<string, Block[]>();
const MAX_KNOWN_CHARS = 4 * 1024 * 1024;
let knownChars = 0;

/** The blocks of a message, in order. Never throws: what cannot be parsed is plain text. */
export function blocksOf(text: string, options: BlockOptions = {}): Block[] {
  if (isOverLimit(text)) return [{ kind: "plain", text }];
  try {
    const tokens = (options.lineBreaks ? typed : strict).lexer(text);
    // Reference definitions at the end of a message change what stands above them.
    const context = (options.lineBreaks ? "b" : "s") + linkContext(tokens);
    return tokens.flatMap((token) =>
      options.passing ? convert(token, 0) : memo(context + token.raw, () => convert(token, 0)),
    );
  } catch {
    // Nesting deeper than the parser's stack.
    return [{ kind: "plain", text }];
  }
}

/** Whether a text is too long for Markdown. Counts bytes only when the length alone does not say. */
export function isOverLimit(text: string): boolean {
  if (text.length > MAX_MARKDOWN_BYTES) return true;
  if (text.length * 3 <= MAX_MARKDOWN_BYTES) return false;
  return new TextEncoder().encode(text).length > MAX_MARKDOWN_BYTES;
}

function linkContext(tokens: TokensList): string {
  const links = Object.entries(tokens.links);
  return links.length === 0 ? "\n" : `${JSON.stringify(links)}\n`;
}

function memo(key: string, make: () => Block[]): Block[] {
  const found = known.get(key);
  if (found !== undefined) {
    known.delete(key);
    known.set(key, found);
    return found;
  }
  const made = make();
  known.set(key, made);
  knownChars += key.length;
  for (const [oldest] of known) {
    if (knownChars <= MAX_KNOWN_CHARS || oldest === key) break;
    known.delete(oldest);
    knownChars -= oldest.length;
  }
  return made;
}

function convert(token: Token, depth: number): Block[] {
  if (depth > MAX_DEPTH) return [{ kind: "plain", text: token.raw }];
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "hr":
      return [{ kind: "rule" }];
    case "heading": {
      const level = Math.min(6, Math.max(1, (token as Tokens.Heading).depth));
      return [{ kind: "text", tag: `h${level}` as "h1", html: inlineHtml(token.tokens) }];
    }
    case "paragraph":
      return paragraph(token.tokens ?? [], "p");
    case "text":
      return paragraph(token.tokens ?? [token], "div");
    case "code":
      return [code(token as Tokens.Code)];
    case "mathBlock":
      return [{ kind: "math", html: renderMath((token as unknown as MathMatch).tex, true) }];
    case "blockquote":
      return [{ kind: "quote", blocks: (token.tokens ?? []).flatMap((inner) => convert(inner, depth + 1)) }];
    case "list":
      return [list(token as Tokens.List, depth)];
    case "table":
      return [table(token as Tokens.Table)];
    case "html":
      return rawBlock(token.raw);
    default:
      return token.raw.trim() === "" ? [] : [{ kind: "plain", text: token.raw }];
  }
}

/** A paragraph; remote pictures that stand alone in it become cards. */
function paragraph(tokens: Token[], tag: "p" | "div"): Block[] {
  const visible = tokens.filter(
    (token) => !(token.type === "text" && token.raw.trim() === "") && token.type !== "br",
  );
  const alone = visible.length > 0 && visible.every((token) => token.type === "image");
  if (alone) {
    return visible.map((token): Block => {
      const picture = token as Tokens.Image;
      const remote = isDataPicture(picture.href) ? null : remoteAddress(picture.href);
      return remote === null
        ? { kind: "text", tag, html: inlineHtml([token]) }
        : { kind: "remote", address: remote.url, alt: picture.text };
    });
  }
  const html = inlineHtml(tokens);
  return html === "" ? [] : [{ kind: "text", tag, html }];
}

function code(token: Tokens.Code): Block {
  const info = (token.lang ?? "").trim();
  const [language = "", ...rest] = info.split(/\s+/);
  const title = /(?:title|file|filename)=["']?([^"']+)["']?/.exec(rest.join(" "))?.[1] ?? "";
  return { kind: "code", language: language.slice(0, 40), title: title.slice(0, 200), text: token.text };
}

function list(token: Tokens.List, depth: number): Block {
  return {
    kind: "list",
    ordered: token.ordered,
    start: typeof token.start === "number" ? token.start : 1,
    loose: token.loose,
    items: token.items.map((item) => ({
      done: item.task ? item.checked === true : null,
      blocks: item.tokens.flatMap((inner) => convert(inner, depth + 1)),
    })),
  };
}

const NUMBER = /^[-+−]?[\p{Sc}]?\d[\d.,\u00a0\u202f' ]*\s?(?:%|[a-zµ]{1,3}|\p{Sc})?$/iu;

function table(token: Tokens.Table): Block {
  const numeric = token.header.map((_, column) => {
    const filled = token.rows.map((row) => row[column]?.text.trim() ?? "").filter((text) => text !== "");
    return filled.length > 0 && filled.every((text) => NUMBER.test(text) || text === "-" || text === "–");
  });
  const cell = (source: Tokens.TableCell, column: number): Cell => ({
    html: inlineHtml(source.tokens),
    numeric: numeric[column] === true,
    align:
      source.align === "right" || (source.align === null && numeric[column])
        ? "end"
        : source.align === "center"
          ? "center"
          : "start",
  });
  return { kind: "table", head: token.header.map(cell), rows: token.rows.map((row) => row.map(cell)) };
}

/** Raw HTML that fills a block: harmless tags without attributes, everything else as the text it is. */
function rawBlock(raw: string): Block[] {
  const source = raw.replace(/<!--[\s\S]*?-->/g, "");
  if (source.trim() === "") return [];
  const tags = [...source.matchAll(/<[/!?]?([^\s/>]*)/g)];
  const harmless = tags.every((match) => BLOCK_TAGS.has((match[1] ?? "").toLowerCase()));
  if (!harmless) return [{ kind: "plain", text: source.replace(/\n+$/, "") }];
  const bare = source.replace(/<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?\/?>/gi, "<$1$2>");
  const html = sanitizeText(bare);
  if (html.trim() !== "") return [{ kind: "text", tag: "div", html }];
  return /<(?:hr|br)/i.test(html) ? [{ kind: "text", tag: "div", html }] : [];
}
