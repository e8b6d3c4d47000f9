/** Where the focus goes in the flat list of the sidebar. Pure. */
import { isStop, type Item } from "../../state/items";

/** The next entry that takes the focus, from `from` in this direction; `from` itself when there is none. */
export function nextStop(items: readonly Item[], from: number, step: 1 | -1): number {
  for (let at = from + step; at >= 0 && at < items.length; at += step) if (isStop(items[at]!)) return at;
  return from;
}

export function firstStop(items: readonly Item[]): number {
  return items.findIndex(isStop);
}

export function lastStop(items: readonly Item[]): number {
  return items.findLastIndex(isStop);
}

/** What took the place of an entry that stood at `index`: the row there now, else the row above, else any stop. */
export function successor(items: readonly Item[], index: number): number {
  const at = Math.min(index, items.length - 1);
  if (items[at]?.kind === "row") return at;
  if (items[at - 1]?.kind === "row") return at - 1;
  for (let distance = 0; distance < items.length; distance++) {
    for (const near of [at + distance, at - distance]) {
      const item = items[near];
      if (item && isStop(item)) return near;
    }
  }
  return -1;
}

/** The group head above a row. */
export function headOf(items: readonly Item[], index: number): number {
  for (let at = index - 1; at >= 0; at--) {
    const item = items[at]!;
    if (item.kind === "group") return at;
    if (item.kind === "head") return -1;
  }
  return -1;
}
