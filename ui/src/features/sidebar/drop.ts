/** Where a dragged pinned row or group may be let go, and the words for its new place. Pure. */
import { isStop, ITEM_HEIGHT, type Item } from "../../state/items";

export interface DropPlace {
  /** Offset in the list, CSS pixels. */
  y: number;
  /** The place it would have among its neighbours, from 0. */
  to: number;
}

type Neighbour = Extract<Item, { kind: "row" | "group" }>;

/** What an entry can be moved among: the pinned rows, or the groups. Itself included. */
export function neighbours(items: readonly Item[], moved: Item): Neighbour[] {
  return items.filter((item): item is Neighbour =>
    moved.kind === "group" ? item.kind === "group" : item.kind === "row" && item.section === "pinned",
  );
}

/** The gaps between its neighbours, from the top. */
export function dropPlaces(items: readonly Item[], moved: Item): DropPlace[] {
  const among = new Set<Item>(neighbours(items, moved));
  const section = moved.kind === "group" ? "rest" : "pinned";
  const gaps: number[] = [];
  let y = 0;
  let end = 0;
  let own = -1;
  for (const item of items) {
    if (among.has(item)) {
      if (item.key === moved.key) own = gaps.length;
      gaps.push(y);
    }
    y += ITEM_HEIGHT[item.kind];
    if (isStop(item) && item.section === section) end = y;
  }
  if (gaps.length === 0 || own < 0) return [];
  return [...gaps, end].map((gap, index) => ({ y: gap, to: index > own ? index - 1 : index }));
}

/** The gap nearest to a pointer at `y`. */
export function nearestPlace(places: readonly DropPlace[], y: number): DropPlace | null {
  let best: DropPlace | null = null;
  for (const place of places) if (!best || Math.abs(place.y - y) < Math.abs(best.y - y)) best = place;
  return best;
}

/** How far to scroll in one frame, CSS pixels, for a pointer at `y` in a list from `top` to `bottom`. */
export function edgeScroll(y: number, top: number, bottom: number): number {
  const EDGE = 32;
  const MOST = 12;
  if (y < top + EDGE) return -Math.ceil((Math.min(EDGE, top + EDGE - y) / EDGE) * MOST);
  if (y > bottom - EDGE) return Math.ceil((Math.min(EDGE, y - bottom + EDGE) / EDGE) * MOST);
  return 0;
}
