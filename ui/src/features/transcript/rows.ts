/** The rows of a transcript that are here, by their index; the rest is read when it comes near. Pure. */
import type { MessagePageResponse } from "../../ipc/generated/MessagePageResponse";
import type { MessageRow } from "../../ipc/generated/MessageRow";
import type { Span } from "./place";

/** Rows of one request. */
export const PAGE = 100;
/** Rows kept; those farthest from the reader go first. */
export const MAX_KEPT = 3_000;

export interface Rows {
  readonly total: number;
  row(index: number): MessageRow | undefined;
  indexOf(id: string): number | undefined;
  /** Takes in a page. Returns the span it covers, and whether everything else was dropped because it no longer fits. */
  take(page: MessagePageResponse): { span: Span; restarted: boolean };
  /** Forgets rows far from `index` when there are too many. */
  trim(index: number): void;
}

export function createRows(): Rows {
  let total = 0;
  let byIndex = new Map<number, MessageRow>();
  let byId = new Map<string, number>();

  return {
    get total() {
      return total;
    },
    row: (index) => byIndex.get(index),
    indexOf: (id) => byId.get(id),
    take(page) {
      const first = page.messages[0]?.index ?? 0;
      const last = page.messages.at(-1)?.index ?? -1;
      // An index that now holds another message: the transcript was rewritten, nothing held is sure any more.
      const restarted =
        page.total < total ||
        page.messages.some((row) => {
          const held = byIndex.get(row.index);
          return held !== undefined && held.id !== row.id;
        });
      if (restarted) {
        byIndex = new Map();
        byId = new Map();
      }
      total = page.total;
      for (const row of page.messages) {
        byIndex.set(row.index, row);
        byId.set(row.id, row.index);
      }
      return { span: { first, last }, restarted };
    },
    trim(index) {
      if (byIndex.size <= MAX_KEPT) return;
      const far = [...byIndex.keys()].sort((a, b) => Math.abs(b - index) - Math.abs(a - index));
      for (const i of far.slice(0, byIndex.size - Math.floor(MAX_KEPT / 2))) {
        const row = byIndex.get(i);
        byIndex.delete(i);
        if (row !== undefined) byId.delete(row.id);
      }
    },
  };
}

export interface Wanted {
  /** First index. */
  index: number;
  limit: number;
}

/**
 * The next page to read for a span, or null when all of it is here. Reaches `ahead` rows beyond the span, nearest the
 * span first, and fills the page on the side the reader comes from.
 */
export function nextPage(rows: Rows, span: Span, ahead: number): Wanted | null {
  if (rows.total === 0 || span.last < span.first) return null;
  const missing = (index: number) => index >= 0 && index < rows.total && rows.row(index) === undefined;
  for (let index = span.first; index <= span.last; index++) {
    if (!missing(index)) continue;
    if (!missing(index - 1)) return { index, limit: PAGE };
    let last = index;
    while (last < span.last && missing(last + 1)) last++;
    return endingAt(rows, last);
  }
  for (let step = 1; step <= ahead; step++) {
    if (missing(span.first - step)) return endingAt(rows, span.first - step);
    if (missing(span.last + step)) return { index: span.last + step, limit: PAGE };
  }
  return null;
}

/** A page whose last row is `index`, shorter when rows before it are already here. */
function endingAt(rows: Rows, index: number): Wanted {
  let first = index;
  while (first > 0 && index - first + 1 < PAGE && rows.row(first - 1) === undefined) first--;
  return { index: first, limit: index - first + 1 };
}
