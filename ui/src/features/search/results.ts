/** The results as one flat list. Pure. */
import type { CappedCount, MessageHit, TitleHit } from "../../ipc";

export type Section = "title" | "message";

/** A result with a session behind it. `size` is -1 where the number is not known. */
export type HitItem =
  | { kind: "title"; key: string; hit: TitleHit; pos: number; size: number }
  | { kind: "message"; key: string; hit: MessageHit; pos: number; size: number };

export type ResultItem =
  | HitItem
  | { kind: "head"; key: string; section: Section }
  /** Stands where the titles that are not loaded yet begin. */
  | { kind: "more"; key: string };

export function resultItems(
  titles: readonly TitleHit[],
  titleCount: CappedCount,
  moreTitles: boolean,
  messages: readonly MessageHit[],
): ResultItem[] {
  const items: ResultItem[] = [];
  if (titles.length > 0) items.push({ kind: "head", key: "head:title", section: "title" });
  const counted = titleCount.more ? -1 : titleCount.n;
  const size = moreTitles ? counted : titles.length;
  titles.forEach((hit, index) => {
    items.push({ kind: "title", key: `title:${hit.row.id}`, hit, pos: index + 1, size });
  });
  if (moreTitles) items.push({ kind: "more", key: "more:title" });
  if (messages.length > 0) items.push({ kind: "head", key: "head:message", section: "message" });
  messages.forEach((hit, index) => {
    items.push({
      kind: "message",
      key: `message:${hit.message_id}`,
      hit,
      pos: index + 1,
      size: messages.length,
    });
  });
  return items;
}

/** The section whose rows an item is among; a head stands before them. */
export function sectionOf(item: ResultItem | undefined): Section | null {
  if (!item || item.kind === "head") return null;
  return item.kind === "message" ? "message" : "title";
}
