/** A message as plain text, for copying: what is read, without the marks of Markdown. Pure. */
import { Marked, type Token, type Tokens } from "marked";
import { isOverLimit } from "./blocks";
import { decodeEntities } from "./escape";
import { mathExtensions } from "./math";
import { BLOCK_TAGS, INLINE_TAGS } from "./sanitize";

const parser = new Marked({ gfm: true, extensions: mathExtensions });

export function plainTextOf(source: string): string {
  if (isOverLimit(source)) return source;
  try {
    return blocks(parser.lexer(source)).join("\n\n");
  } catch {
    // Nesting deeper than the parser's stack: the source is readable as it is.
    return source;
  }
}

function blocks(tokens: Token[]): string[] {
  return tokens.map((token) => block(token)).filter((text) => text !== "");
}

function block(token: Token): string {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return "";
    case "hr":
      return "---";
    case "code":
      return (token as Tokens.Code).text;
    case "mathBlock":
      return (token as unknown as { tex: string }).tex.trim();
    case "blockquote":
      return blocks(token.tokens ?? []).join("\n");
    case "list": {
      const list = token as Tokens.List;
      const first = typeof list.start === "number" ? list.start : 1;
      return list.items
        .map((item, index) => {
          const mark = list.ordered
            ? `${first + index}. `
            : item.task
              ? item.checked
                ? "[x] "
                : "[ ] "
              : "- ";
          const inner = blocks(item.tokens).join("\n");
          return mark + inner.replace(/\n/g, `\n${" ".repeat(mark.length)}`);
        })
        .join("\n");
    }
    case "table": {
      const table = token as Tokens.Table;
      return [table.header, ...table.rows]
        .map((row) => row.map((cell) => inline(cell.tokens)).join("\t"))
        .join("\n");
    }
    case "html":
      return rawHtml(token.raw, BLOCK_TAGS).trim();
    default:
      return "tokens" in token && token.tokens ? inline(token.tokens) : decodeEntities(token.raw).trim();
  }
}

function inline(tokens: Token[]): string {
  return tokens
    .map((token) => {
      switch (token.type) {
        case "br":
          return "\n";
        case "checkbox":
          return "";
        case "codespan":
          return (token as Tokens.Codespan).text;
        case "mathInline":
          return (token as unknown as { tex: string }).tex;
        case "image":
          return (token as Tokens.Image).text || (token as Tokens.Image).href;
        case "link": {
          const link = token as Tokens.Link;
          const label = inline(link.tokens);
          return label === link.href || label === "" ? link.href : `${label} (${link.href})`;
        }
        case "escape":
          return (token as Tokens.Escape).text;
        case "html":
          return rawHtml(token.raw, INLINE_TAGS);
        default:
          return "tokens" in token && token.tokens ? inline(token.tokens) : decodeEntities(token.raw);
      }
    })
    .join("");
}

/** Raw HTML as it is seen: tags that format are gone, those that are not allowed stand as text. */
function rawHtml(raw: string, allowed: ReadonlySet<string>): string {
  const source = raw.replace(/<!--[\s\S]*?-->/g, "");
  const tags = [...source.matchAll(/<[/!?]?([^\s/>]*)/g)];
  if (!tags.every((match) => allowed.has((match[1] ?? "").toLowerCase()))) return source;
  return decodeEntities(source.replace(/<br\b[^<>]*>/gi, "\n").replace(/<\/?[a-z][^<>]*>/gi, ""));
}
