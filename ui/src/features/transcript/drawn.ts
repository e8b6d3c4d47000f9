/** Which rows of a transcript stand in the page, and where. Pure. */
import type { MessageRow } from "../../ipc/generated/MessageRow";
import type { RowShape } from "./calls";
import type { Heights } from "./heights";
import type { Span } from "./place";
import type { Rows } from "./rows";

export interface DrawnRow {
  index: number;
  row: MessageRow;
  shape: RowShape;
  /** Its top edge, pixels from the start of the transcript. */
  y: number;
}

/** A run of rows in the span that are not here yet. */
export interface Gap {
  index: number;
  /** Pixels, as `DrawnRow`. */
  y: number;
  height: number;
}

/** The rows of the span that are here and not blank, and those kept wherever the reader scrolls, in their order. */
export function drawnRows(
  { first, last }: Span,
  keep: readonly number[],
  rows: Rows,
  shape: (index: number) => RowShape,
  heights: Heights,
): DrawnRow[] {
  const inside = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  const outside = keep.filter((index) => index < first || index > last);
  const wanted = [...new Set([...inside, ...outside])].sort((a, b) => a - b);
  return wanted.flatMap((index) => {
    const row = rows.row(index);
    if (row === undefined || shape(index).blank) return [];
    return [{ index, row, shape: shape(index), y: heights.offset(index) }];
  });
}

export function gapsOf({ first, last }: Span, rows: Rows, heights: Heights): Gap[] {
  const gaps: Gap[] = [];
  for (let index = first; index <= last; index++) {
    if (rows.row(index) !== undefined) continue;
    let end = index;
    while (end < last && rows.row(end + 1) === undefined) end++;
    const y = heights.offset(index);
    gaps.push({ index, y, height: heights.offset(end + 1) - y });
    index = end;
  }
  return gaps;
}
