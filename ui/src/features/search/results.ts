/** The results as one flat list. Pure. */
import type { MessageHit, TitleHit } from "../../ipc";

export type ResultItem =
  | { kind: "head"; key: string; section: "title" | "message" }
  | { kind: "title"; key: string; hit: TitleHit; pos: number; size: number }
  | { kind: "message"; key: string; hit: MessageHit; pos: number; size: number };

export function resultItems(titles: readonly TitleHit[], messages: readonly MessageHit[]): ResultItem[] {
  const items: ResultItem[] = [];
  if (titles.length > 0) items.push({ kind: "head", key: "head:title", section: "title" });
  titles.forEach((hit, index) => {
    items.push({ kind: "title", key: `title:${hit.row.id}`, hit, pos: index + 1, size: titles.length });
  });
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
