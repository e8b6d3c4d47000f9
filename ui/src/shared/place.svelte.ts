/**
 * Keeps what is being read in its place while a list is fetched anew and rows come or go above it. For lists whose
 * entries have known heights. Moves only the scroller it is given, never the focus.
 */
import { untrack } from "svelte";

export interface Entry {
  key: string;
  /** Height in CSS pixels. */
  size: number;
}

export interface PlaceInput {
  scroller: HTMLElement | undefined;
  entries: readonly Entry[];
  /** Entries change because the list was fetched, not because somebody took one away. */
  renewing: boolean;
  /** What must not move while it is in view: the focused or the open row. */
  prefer: string | null;
}

/** Without a layout (a hidden page, a test) one screen counts as in view, as in the virtual list. */
const NO_LAYOUT = 720;

/**
 * Where to scroll, in CSS pixels, so that the preferred entry, else the first one in view that is still there, stands
 * where it stood. A list at its very top stays there unless the preferred entry is in view.
 */
export function keptScroll(
  before: readonly Entry[],
  after: readonly Entry[],
  top: number,
  height: number,
  prefer: string | null,
): number {
  const places = new Map<string, number>();
  let end = 0;
  for (const entry of after) {
    places.set(entry.key, end);
    end += entry.size;
  }
  let start = 0;
  let kept: number | null = null;
  for (const entry of before) {
    const place = places.get(entry.key);
    if (start + entry.size > top && start < top + height && place !== undefined) {
      if (entry.key === prefer) {
        kept = place - start;
        break;
      }
      if (top > 0) kept ??= place - start;
    }
    start += entry.size;
    if (start >= top + height) break;
  }
  return Math.max(0, top + (kept ?? 0));
}

/** Call while a component is being set up, after its virtual list. */
export function keepPlace(input: () => PlaceInput): void {
  let before: readonly Entry[] = [];
  let wasRenewing = false;

  $effect(() => {
    const { scroller, entries, renewing, prefer } = input();
    untrack(() => {
      if (scroller && before.length > 0 && (renewing || wasRenewing)) {
        const top = scroller.scrollTop;
        const next = keptScroll(before, entries, top, scroller.clientHeight || NO_LAYOUT, prefer);
        if (next !== top) scroller.scrollTop = next;
      }
      before = entries;
      wasRenewing = renewing;
    });
  });
}
