/**
 * Which addresses a message may open, and how their host is shown. The page itself never goes anywhere: an allowed
 * address is handed to the host by `link_open`, which checks the scheme again.
 */
import { decodePunycode } from "./punycode";

export interface SafeLink {
  /** Normalised; what is opened. */
  url: string;
  /** The host in full as it may be shown, or the mail address. */
  host: string;
  /** The tooltip: the host first, since the rest of an address can be made to look like one. */
  title: string;
}

const SCHEMES = new Set(["http:", "https:", "mailto:"]);
/** Longer addresses are text; browsers and mail programs cut or refuse them at about this length. */
const MAX_LENGTH = 8192;
const SCRIPTS = [
  "Latin",
  "Cyrillic",
  "Greek",
  "Armenian",
  "Hebrew",
  "Arabic",
  "Devanagari",
  "Thai",
  "Hangul",
  "Georgian",
  "Han",
  "Hiragana",
  "Katakana",
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, "u") }));
const COMMON = /^[\p{Script=Common}\p{Script=Inherited}]$/u;
const JAPANESE = new Set(["Han", "Hiragana", "Katakana"]);
const CONTROL = /[\u0000-\u001f\u007f]/;
// Controls, blanks and the marks that turn the direction of text.
const INVISIBLE = /[\u0000-\u0020\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** The link of an address, or null for everything but `http`, `https` and `mailto`; a file is {@link fileLink}'s. */
export function safeLink(href: string): SafeLink | null {
  if (href.length > MAX_LENGTH || !/^[a-z][a-z0-9+.-]*:/i.test(href)) return null;
  // Not stripped as browsers do: "exa<tab>mple.org" has no business being a link.
  if (CONTROL.test(href)) return null;
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return null;
  }
  if (!SCHEMES.has(url.protocol)) return null;
  if (url.protocol === "mailto:") {
    const address = url.pathname;
    return address === "" ? null : { url: url.href, host: address, title: `mailto:${address}` };
  }
  if (url.hostname === "") return null;
  const host = displayHost(url.hostname) + (url.port === "" ? "" : `:${url.port}`);
  return { url: url.href, host, title: `${host}\n${url.href}` };
}

export interface FileLink {
  /** As the message spells it; what the host looks for in the session. */
  href: string;
  /** The path on this computer, as the link names it. */
  path: string;
}

/** The link to a file on this computer, or null: another computer's, a relative one, what does not decode. */
export function fileLink(href: string): FileLink | null {
  if (href.length > MAX_LENGTH || CONTROL.test(href)) return null;
  const rest = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/).*)$/i.exec(href)?.[1];
  if (rest === undefined) return null;
  try {
    const path = decodeURIComponent(rest);
    // The slash before a drive belongs to the address.
    return { href, path: /^\/[a-z]:[/\\]/i.test(path) ? path.slice(1) : path };
  } catch {
    return null;
  }
}

/** A text in which nothing is unseen and nothing turns the direction of the rest: such characters show their number. */
export function madeVisible(text: string): string {
  return [...text]
    .map((letter) => {
      if (letter === " " || !INVISIBLE.test(letter)) return letter;
      return `<U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
    })
    .join("");
}

/** The address of a remote picture or clip, or null when it is not `http` or `https`. */
export function remoteAddress(target: string): SafeLink | null {
  const link = safeLink(target);
  return link === null || link.url.startsWith("mailto:") ? null : link;
}

/**
 * A host name for people: letters of one script are shown as written with the wire form behind them, a label that
 * mixes scripts stays punycode, so that a look-alike letter cannot hide in a known name.
 */
export function displayHost(hostname: string): string {
  if (!/(^|\.)xn--/i.test(hostname)) return hostname;
  const labels = hostname.split(".").map((label) => {
    if (!/^xn--/i.test(label)) return label;
    const letters = decodePunycode(label.slice(4));
    return letters === null || INVISIBLE.test(letters) || mixesScripts(letters) ? label : letters;
  });
  const shown = labels.join(".");
  return shown === hostname ? hostname : `${shown} (${hostname})`;
}

function mixesScripts(label: string): boolean {
  const found = new Set<string>();
  for (const letter of label) {
    if (COMMON.test(letter)) continue;
    const script = SCRIPTS.find((candidate) => candidate.pattern.test(letter));
    found.add(script?.name ?? "other");
  }
  if (found.size <= 1) return found.has("other");
  return [...found].some((name) => !JAPANESE.has(name));
}

const DATA_PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,([a-z0-9+/]+={0,2})$/i;
/** Bytes of a picture inside a message; `spec/media.md`, rule 6. */
export const MAX_DATA_PICTURE = 2 * 1024 * 1024;

/** Whether a `data:` address is a picture that may be shown where it stands. */
export function isDataPicture(address: string): boolean {
  // Measured before it is matched: a huge one is not worth a look at every letter.
  if (address.length > Math.ceil(MAX_DATA_PICTURE / 3) * 4 + 64) return false;
  const match = DATA_PICTURE.exec(address);
  if (match === null) return false;
  const body = match[2] ?? "";
  const padding = body.endsWith("==") ? 2 : body.endsWith("=") ? 1 : 0;
  return (body.length * 3) / 4 - padding <= MAX_DATA_PICTURE;
}
