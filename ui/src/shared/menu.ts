import type { Component } from "svelte";

/** One entry, or a hairline between kinds. */
export type MenuEntry =
  | { kind: "line" }
  | {
      kind: "entry";
      label: string;
      icon?: Component<{ size?: number; strokeWidth?: number }>;
      /** Shown at the end; the key itself is handled where the menu came from. */
      shortcut?: string;
      danger?: boolean;
      /** One of a choice: whether it is the one that holds. */
      checked?: boolean;
      /** Why it cannot be chosen now; shown as its tooltip. */
      reason?: string | undefined;
      run: () => void;
    };

/** Where a menu opens: at the pointer, or under an element. */
export type MenuPlace = { x: number; y: number } | HTMLElement;

const EDGE = 8;
const GAP = 4;

/** The corner of a menu of this size: it opens down and to the end, and flips at the window's edges. */
export function placeMenu(
  place: { left: number; right: number; top: number; bottom: number },
  size: { width: number; height: number },
  view: { width: number; height: number },
): { left: number; top: number } {
  const point = place.left === place.right && place.top === place.bottom;
  const gap = point ? 0 : GAP;
  let top = place.bottom + gap;
  if (top + size.height + EDGE > view.height) top = place.top - gap - size.height;
  let left = point ? place.left : place.right - size.width;
  if (left + size.width + EDGE > view.width) left = place.right - size.width;
  return {
    left: Math.max(EDGE, Math.min(left, view.width - size.width - EDGE)),
    top: Math.max(EDGE, Math.min(top, view.height - size.height - EDGE)),
  };
}

/** The entry that follows `from` in this direction, round the ends. `-1` when there is none. */
export function nextEntry(entries: readonly MenuEntry[], from: number, step: 1 | -1): number {
  for (let i = 1; i <= entries.length; i++) {
    const at = (from + step * i + entries.length * 2) % entries.length;
    if (entries[at]?.kind === "entry") return at;
  }
  return -1;
}

/** Where the focus begins: at the choice that holds, else at the first. */
export function firstEntry(entries: readonly MenuEntry[]): number {
  const held = entries.findIndex((entry) => entry.kind === "entry" && entry.checked === true);
  return held >= 0 ? held : nextEntry(entries, -1, 1);
}

/** Type-ahead: the next entry, after `from`, that begins with what was typed. */
export function matchEntry(entries: readonly MenuEntry[], from: number, typed: string): number {
  const want = typed.toLocaleLowerCase();
  for (let i = 0; i < entries.length; i++) {
    const at = (from + i) % entries.length;
    const entry = entries[at];
    if (entry?.kind === "entry" && entry.label.toLocaleLowerCase().startsWith(want)) return at;
  }
  return -1;
}
