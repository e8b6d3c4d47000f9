/**
 * What of a transcript is in view: the heights of its rows, the place that is read, and the rows to draw around it.
 * Holds what is read still while heights become known. Call `createView` while the component is being set up. It knows
 * neither messages nor the host.
 */
import { flushSync } from "svelte";
import { createHeights, resized, type Heights } from "./heights";
import { isAtEnd, isFarFromEnd, placeOf, spanOf, topOf, type Place, type Span, type Viewport } from "./place";

/** Pixels of a row nothing is known of. */
const ESTIMATE = 72;
/** Pixels drawn above and below the window. */
const MARGIN = 500;
/** Rows in the page at the most. */
const MOST = 80;

export interface View {
  /** Read it anew after each `resize`. */
  readonly heights: Heights;
  readonly viewport: Viewport;
  /** The rows to draw. */
  readonly span: Span;
  /** Height of the whole transcript, in pixels. */
  readonly spread: number;
  /** Grows whenever rows or heights changed; whoever depends on them reads it. */
  readonly version: number;
  readonly atEnd: boolean;
  /** So far that a jump there is worth a button. */
  readonly isFar: boolean;
  /** Rows that came while the reader was elsewhere. */
  readonly fresh: number;
  /** What holds still. */
  place: Place;
  /** The transcript has this many rows now; `anew`: none of them is known from before. */
  resize(count: number, anew: boolean): void;
  /** Rows came below what is read. */
  arrived(count: number): void;
  /** Draws what changed and scrolls so that the place is kept. */
  settle(): void;
  /** The row stays where it is, whatever grows above or below it. */
  hold(index: number): void;
  onscroll(): void;
  /** The scroller is in the page from here on; the answer ends that. */
  mount(): () => void;
  /** An attachment that measures a drawn row. */
  measured(index: number): (node: HTMLElement) => () => void;
  /** An attachment for what stands below the last row: while the reader is at the end, it is followed. */
  tail: (node: HTMLElement) => () => void;
}

export function createView(scroller: () => HTMLElement | undefined): View {
  let heights = createHeights(0, ESTIMATE);
  let place: Place = { at: "end" };
  /** Where this view itself scrolled to, to tell its own scrolling from the reader's. */
  let own = -1;
  let version = $state(0);
  let top = $state(0);
  let height = $state(0);
  let below = $state(0);
  let atEnd = $state(true);
  let fresh = $state(0);

  const viewport = $derived({ top, height, below });
  const span = $derived.by(() => {
    void version;
    return spanOf(heights, viewport, MARGIN, MOST);
  });
  const spread = $derived.by(() => {
    void version;
    return heights.total;
  });

  const isFar = $derived.by(() => {
    void version;
    return isFarFromEnd(heights, viewport);
  });

  function settle() {
    version++;
    flushSync();
    keep();
  }

  function keep() {
    const node = scroller();
    if (node === undefined) return;
    const wanted = topOf(heights, { top: node.scrollTop, height, below }, place);
    if (Math.abs(node.scrollTop - wanted) >= 0.5) node.scrollTop = wanted;
    own = node.scrollTop;
    top = own;
    judgeEnd();
  }

  function judgeEnd() {
    atEnd = isAtEnd(heights, { top, height, below });
    if (atEnd) fresh = 0;
  }

  let tail: HTMLElement | undefined;
  const sizes = new Map<Element, number>();
  const observer =
    typeof ResizeObserver === "undefined"
      ? undefined
      : new ResizeObserver((entries) => {
          let changed = false;
          let grown = false;
          for (const entry of entries) {
            if (entry.target === tail) {
              const now = entry.borderBoxSize[0]?.blockSize ?? entry.contentRect.height;
              grown = now !== below;
              below = now;
              continue;
            }
            const index = sizes.get(entry.target);
            if (index === undefined) {
              const now = scroller()?.clientHeight ?? 0;
              if (now === height) continue;
              // A composer that grows pushes up what is at the end; it does not cover it.
              if (atEnd) place = { at: "end" };
              height = now;
              changed = true;
            } else if (entry.target.isConnected) {
              const now = entry.borderBoxSize[0]?.blockSize ?? entry.contentRect.height;
              changed = heights.measure(index, now) || changed;
            }
          }
          if (changed) settle();
          // Rows and their heights are as they were: only the place is kept.
          else if (grown) keep();
        });

  return {
    get heights() {
      return heights;
    },
    get viewport() {
      return viewport;
    },
    get span() {
      return span;
    },
    get spread() {
      return spread;
    },
    get version() {
      return version;
    },
    get atEnd() {
      return atEnd;
    },
    get isFar() {
      return isFar;
    },
    get fresh() {
      return fresh;
    },
    get place() {
      return place;
    },
    set place(next) {
      place = next;
    },
    resize(count, anew) {
      if (anew) heights = createHeights(count, ESTIMATE);
      else if (heights.count !== count) heights = resized(heights, count, ESTIMATE);
    },
    arrived(count) {
      fresh += Math.max(0, count);
    },
    settle,
    hold(index) {
      const node = scroller();
      if (node !== undefined) place = { at: "row", index, below: heights.offset(index) - node.scrollTop };
    },
    onscroll() {
      const node = scroller();
      if (node === undefined) return;
      top = node.scrollTop;
      if (Math.abs(top - own) < 1) return;
      own = -1;
      place = placeOf(heights, { top, height, below });
      judgeEnd();
    },
    mount() {
      const node = scroller();
      height = node?.clientHeight ?? 0;
      if (node !== undefined) observer?.observe(node);
      return () => observer?.disconnect();
    },
    tail(node) {
      tail = node;
      observer?.observe(node);
      return () => {
        observer?.unobserve(node);
        tail = undefined;
        below = 0;
        judgeEnd();
      };
    },
    measured: (index) => (node) => {
      sizes.set(node, index);
      observer?.observe(node);
      return () => {
        observer?.unobserve(node);
        sizes.delete(node);
      };
    },
  };
}
