/**
 * Cuts `MEDIA:` tags out of a message. Where they are is the core's word (one parser decides what is a tag and what
 * may be opened); this only slices. A tag becomes a block of its own, the text around it stays Markdown.
 */
import type { MediaTag } from "../ipc/generated/MediaTag";

export type Piece = { kind: "text"; text: string } | { kind: "media"; tag: MediaTag };

/** What is left of a sentence when only its full stop or closing marks stood behind a tag. */
const LEFT_OVER = /^[\s.,;:!?)\]}*_`'"]*$/;

/** The pieces of a message in order. Tags that overlap or lie outside the text are left as text. */
export function cutMedia(text: string, tags: readonly MediaTag[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const words = (part: string, behindTag: boolean) => {
    if (part.trim() === "" || (behindTag && LEFT_OVER.test(part))) return;
    pieces.push({ kind: "text", text: part });
  };
  for (const tag of [...tags].sort((a, b) => a.start - b.start)) {
    if (tag.start < at || tag.end <= tag.start || tag.end > text.length) continue;
    words(text.slice(at, tag.start), at > 0);
    pieces.push({ kind: "media", tag });
    at = tag.end;
  }
  words(text.slice(at), at > 0);
  return pieces;
}
