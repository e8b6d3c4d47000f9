/**
 * The last fence before HTML reaches the page: two fixed DOMPurify profiles. The HTML it gets is already built from
 * escaped parts; nothing here is relied on for that, and nothing that gets here is trusted for it.
 *
 * No style but on KaTeX's own output, no form, no frame, no svg or math from a message, no event handlers; names and
 * ids never come from a message, and would be prefixed if they did.
 */
import createDOMPurify, { type Config } from "dompurify";
import { isDataPicture } from "./links";

/** Raw tags that a message may use, always without attributes. */
export const INLINE_TAGS: ReadonlySet<string> = new Set(
  "abbr b bdi br cite code del em i ins kbd mark q rp rt ruby s samp small strong sub sup u var wbr".split(
    " ",
  ),
);
export const BLOCK_TAGS: ReadonlySet<string> = new Set([
  ...INLINE_TAGS,
  ..."blockquote dd details div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre span summary table tbody td tfoot th thead tr ul".split(
    " ",
  ),
]);

/** Class of the element that stands for a formula while the text around it is cleaned. A message cannot write one:
 * its raw tags lose all attributes. */
export const MATH_SLOT = "md-slot";

const purifier = createDOMPurify(window);
// A picture's address is never one that the page would fetch, whoever wrote it.
purifier.addHook("uponSanitizeAttribute", (_, attribute) => {
  if (attribute.attrName === "src" && !isDataPicture(attribute.attrValue)) attribute.keepAttr = false;
});

const TEXT: Config = {
  ALLOWED_TAGS: [...BLOCK_TAGS, "a", "img"],
  ALLOWED_ATTR: ["href", "title", "class", "src", "alt"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|file:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
  SANITIZE_DOM: true,
  SANITIZE_NAMED_PROPS: true,
  KEEP_CONTENT: true,
};

const MATH: Config = {
  ALLOWED_TAGS: (
    "span svg path line g math mrow mi mn mo ms mtext mspace msup msub msubsup mfrac msqrt mroot munder mover " +
    "munderover mtable mtr mtd mpadded mphantom mstyle menclose merror mmultiscripts mprescripts"
  ).split(" "),
  ALLOWED_ATTR: (
    "class style aria-hidden xmlns width height viewbox preserveaspectratio d x1 x2 y1 y2 stroke-width display " +
    "mathvariant stretchy fence separator accent accentunder lspace rspace minsize maxsize linethickness " +
    "columnalign rowspacing columnspacing columnlines rowlines scriptlevel displaystyle notation voffset " +
    "mathcolor mathbackground movablelimits symmetric largeop"
  ).split(" "),
  // The source of the formula would be read out a second time.
  FORBID_CONTENTS: ["annotation", "script", "style"],
  ALLOW_DATA_ATTR: false,
  SANITIZE_NAMED_PROPS: true,
  KEEP_CONTENT: true,
};

/** HTML of running text or a block. */
export function sanitizeText(html: string): string {
  return purifier.sanitize(html, TEXT);
}

/** KaTeX's output, and only that. */
export function sanitizeMath(html: string): string {
  return purifier.sanitize(html, MATH);
}
