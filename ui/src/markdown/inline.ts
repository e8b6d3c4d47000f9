/** Running text of a message (marked's inline tokens) as safe HTML. Every part is escaped here, then sanitized. */
import type { Token, Tokens } from "marked";
import { markdownTexts } from "../lib/texts/chat";
import { escapeHtml, escapeText } from "./escape";
import { fileLink, isDataPicture, madeVisible, remoteAddress, safeLink } from "./links";
import { renderMath, type MathMatch } from "./math";
import { INLINE_TAGS, MATH_SLOT, sanitizeText } from "./sanitize";

/** Deeper nesting than a person writes; below it a token is its own source. */
const MAX_DEPTH = 24;

export function inlineHtml(tokens: Token[] | undefined): string {
  if (tokens === undefined || tokens.length === 0) return "";
  const formulas: string[] = [];
  const html = sanitizeText(parts(tokens, { formulas, inLink: false, depth: 0 }));
  if (formulas.length === 0) return html;
  return html.replace(
    new RegExp(`<span class="${MATH_SLOT}-(\\d+)"></span>`, "g"),
    (_, n: string) => formulas[Number(n)] ?? "",
  );
}

interface Place {
  /** Safe HTML of the formulas so far; a slot holds their place. */
  formulas: string[];
  inLink: boolean;
  depth: number;
}

function parts(tokens: Token[], place: Place): string {
  return tokens.map((token) => part(token, place)).join("");
}

function part(token: Token, place: Place): string {
  if (place.depth > MAX_DEPTH) return escapeHtml(token.raw);
  const deeper = { ...place, depth: place.depth + 1 };
  const inside = (): string => parts("tokens" in token ? (token.tokens ?? []) : [], deeper);
  switch (token.type) {
    case "text":
      return token.tokens ? inside() : escapeText((token as Tokens.Text).text);
    case "escape":
      return escapeText((token as Tokens.Escape).text);
    case "strong":
      return `<strong>${inside()}</strong>`;
    case "em":
      return `<em>${inside()}</em>`;
    case "del":
      return `<del>${inside()}</del>`;
    case "br":
      return "<br>";
    case "codespan":
      return `<code>${escapeHtml((token as Tokens.Codespan).text)}</code>`;
    case "html":
      return rawTag((token as Tokens.Tag).raw);
    case "link":
      return link(token as Tokens.Link, place, parts(token.tokens ?? [], { ...deeper, inLink: true }));
    case "image":
      return image(token as Tokens.Image, place);
    case "mathInline": {
      const { tex, display } = token as unknown as MathMatch;
      place.formulas.push(renderMath(tex, display));
      return `<span class="${MATH_SLOT}-${place.formulas.length - 1}"></span>`;
    }
    // A task's box is drawn by its list item.
    case "checkbox":
      return "";
    default:
      return escapeHtml(token.raw);
  }
}

/** A raw tag: a harmless one without its attributes, a comment as nothing, everything else as the text it is. */
function rawTag(raw: string): string {
  if (/^<!--[\s\S]*-->$/.test(raw)) return "";
  const match = /^<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?\/?>$/i.exec(raw);
  const name = match?.[2]?.toLowerCase();
  return name !== undefined && INLINE_TAGS.has(name) ? `<${match?.[1] ?? ""}${name}>` : escapeHtml(raw);
}

function link(token: Tokens.Link, place: Place, label: string): string {
  const target = safeLink(token.href);
  if (place.inLink) return label;
  const file = target === null ? fileLink(token.href) : null;
  if (file !== null) {
    // The path belongs to its name: the words of a link can say anything.
    const path = escapeHtml(madeVisible(file.path));
    const named = label === path ? "" : ` <span class="md-path">${path}</span>`;
    return `<a class="md-file" href="${escapeHtml(file.href)}" title="${path}">${label}${named}</a>`;
  }
  if (target === null) {
    // Not a link, but what it said stays to be seen: a path, or a trick.
    return `<span class="md-nolink" title="${escapeHtml(token.href.slice(0, 500))}">${label}</span>`;
  }
  return `<a href="${escapeHtml(target.url)}" title="${escapeHtml(target.title)}">${label}</a>`;
}

function image(token: Tokens.Image, place: Place): string {
  const alt = escapeHtml(token.text);
  if (place.inLink) return alt || escapeHtml(markdownTexts.picture);
  if (isDataPicture(token.href)) {
    return `<img class="md-picture" src="${escapeHtml(token.href)}" alt="${alt}">`;
  }
  const remote = remoteAddress(token.href);
  if (remote !== null) {
    const words = escapeHtml(markdownTexts.pictureOn(remote.host));
    return `<a class="md-remote" href="${escapeHtml(remote.url)}" title="${escapeHtml(remote.title)}">${alt ? `${alt}, ` : ""}${words}</a>`;
  }
  return `<span class="md-nolink" title="${escapeHtml(token.href.slice(0, 500))}">${alt || escapeHtml(token.href.slice(0, 200))}</span>`;
}
