/** Where a reader is in a long transcript, and which rows that needs. Pure geometry over the heights; pixels. */
import type { Heights } from "./heights";

export interface Viewport {
  /** Scrolled by. */
  top: number;
  height: number;
  /** What stands below the last row. */
  below: number;
}

/** What holds still while heights above and below change. */
export type Place =
  /** The newest row's end stays at the window's end. */
  | { at: "end" }
  /** The top edge of a row stays this far below the window's top edge (negative: above it). */
  | { at: "row"; index: number; below: number };

export interface Span {
  first: number;
  /** Included; less than `first` when there is no row. */
  last: number;
}

/** Nearer than this to the end counts as the end. */
const END_SLACK = 8;
/** Nearer than this a jump saves nothing, and its button would lie on those of a card at the end. */
const JUMP_SLACK = 96;

export function maxTop(heights: Heights, viewport: Viewport): number {
  return Math.max(0, heights.total + viewport.below - viewport.height);
}

export function isAtEnd(heights: Heights, viewport: Viewport): boolean {
  return viewport.top >= maxTop(heights, viewport) - END_SLACK;
}

export function isFarFromEnd(heights: Heights, viewport: Viewport): boolean {
  return viewport.top < maxTop(heights, viewport) - JUMP_SLACK;
}

/**
 * The place a reader holds: the first row whose top edge is in view, so that a row half above the window may grow
 * without moving what is read; else the row that fills the window.
 */
export function placeOf(heights: Heights, viewport: Viewport): Place {
  if (heights.count === 0 || isAtEnd(heights, viewport)) return { at: "end" };
  let index = heights.at(viewport.top);
  const next = index + 1;
  if (heights.offset(index) < viewport.top && next < heights.count) {
    if (heights.offset(next) < viewport.top + viewport.height / 2) index = next;
  }
  return { at: "row", index, below: heights.offset(index) - viewport.top };
}

/** How far to scroll so that the place is kept. */
export function topOf(heights: Heights, viewport: Viewport, place: Place): number {
  const end = maxTop(heights, viewport);
  if (place.at === "end") return end;
  return Math.max(0, Math.min(end, heights.offset(place.index) - place.below));
}

/** The rows to draw: what is in view and `margin` pixels around it, `most` rows at the most. */
export function spanOf(heights: Heights, viewport: Viewport, margin: number, most: number): Span {
  if (heights.count === 0) return { first: 0, last: -1 };
  const first = heights.at(Math.max(0, viewport.top - margin));
  const last = heights.at(viewport.top + viewport.height + margin);
  if (last - first < most) return { first, last };
  // Too many low rows: those in view come first.
  const from = heights.at(viewport.top);
  const start = Math.max(first, from - Math.floor(most / 4));
  return { first: start, last: Math.min(last, start + most - 1) };
}

/** A place that shows a row: unmoved when its top edge is comfortably in view already. */
export function placeFor(heights: Heights, viewport: Viewport, index: number, below: number): Place {
  const top = heights.offset(index) - viewport.top;
  const bottom = top + heights.height(index);
  const whole = top >= 0 && bottom <= viewport.height;
  const tall = heights.height(index) > viewport.height && top >= 0 && top <= viewport.height / 3;
  return { at: "row", index, below: whole || tall ? top : below };
}
