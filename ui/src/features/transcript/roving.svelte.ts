/**
 * The focus in a transcript: one tab stop that arrows move from row to row, reading rows first if need be. Call
 * `createRoving` while the component is being set up.
 */
import { toIpcError } from "../../platform/types";
import { placeFor } from "./place";
import type { Reading } from "./reading.svelte";
import { PAGE } from "./rows";
import type { View } from "./view.svelte";

/** Free space between a row that takes the focus and the window's edge, pixels. */
const EDGE = 14;

export interface Roving {
  /** The row that has or had the focus; -1 before the first. */
  current: number;
  /** The focus is somewhere in the transcript. */
  readonly inside: boolean;
  /**
   * Moves the focus to a row; `step` is where to go on when it is blank. A row that had to be read gets the focus only
   * if it is still in the transcript, or `always`.
   */
  focusRow(index: number, step: -1 | 1, always?: boolean): void;
  onkeydown(event: KeyboardEvent): void;
  onfocusin(event: FocusEvent): void;
  onfocusout(event: FocusEvent): void;
}

/** What stands behind the last row. */
const TAIL = "article[data-live]";

/** The row an element is in. */
export function rowAt(target: EventTarget | null): number | undefined {
  const article =
    target instanceof Element ? target.closest<HTMLElement>("[data-message-id][data-index]") : null;
  return article === null ? undefined : Number(article.dataset.index);
}

export function createRoving(scroller: () => HTMLElement | undefined, reading: Reading, view: View): Roving {
  const { rows } = reading;
  let current = $state(-1);
  let inside = $state(false);

  /** Behind the last row comes what the turn under way has brought. */
  function focusTail(): boolean {
    const tail = scroller()?.querySelector<HTMLElement>(TAIL);
    if (!tail) return false;
    current = rows.total;
    view.place = { at: "end" };
    view.settle();
    tail.focus({ preventScroll: true });
    return true;
  }

  function focusRow(wanted: number, step: -1 | 1, always = false) {
    if (wanted >= rows.total && focusTail()) return;
    const index = reading.standing(wanted, step);
    if (index === undefined) {
      if (step > 0) focusTail();
      return;
    }
    if (rows.row(index) === undefined) {
      void readRow(index, step, always);
      return;
    }
    if (view.place.at !== "end" || index !== rows.total - 1) {
      const below =
        step < 0 ? EDGE : Math.max(EDGE, view.viewport.height - view.heights.height(index) - EDGE);
      view.place = placeFor(view.heights, view.viewport, index, below);
    }
    current = index;
    view.settle();
    scroller()
      ?.querySelector<HTMLElement>(`[data-message-id][data-index="${index}"]`)
      ?.focus({ preventScroll: true });
  }

  async function readRow(index: number, step: -1 | 1, always: boolean) {
    try {
      const answer = await reading.page({
        at: "from",
        index: Math.max(0, step < 0 ? index - PAGE + 1 : index),
      });
      if (reading.ended || !(inside || always)) return;
      reading.take(answer);
      if (rows.row(index) !== undefined) focusRow(index, step, always);
    } catch (error) {
      if (reading.ended) return;
      // Shown where the row would be, with its way out.
      reading.failure = toIpcError(error);
      view.place = { at: "row", index, below: EDGE };
      view.settle();
    }
  }

  function onkeydown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!(event.target instanceof HTMLElement) || event.target.tagName !== "ARTICLE") return;
    const index = event.target.matches(TAIL) ? rows.total : (rowAt(event.target) ?? current);
    switch (event.key) {
      case "ArrowDown":
        focusRow(index + 1, 1);
        break;
      case "ArrowUp":
        focusRow(index - 1, -1);
        break;
      case "Home":
        focusRow(0, 1);
        break;
      case "End":
        view.place = { at: "end" };
        if (!focusTail()) focusRow(rows.total - 1, -1);
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  return {
    get current() {
      return current;
    },
    set current(next) {
      current = next;
    },
    get inside() {
      return inside;
    },
    focusRow,
    onkeydown,
    onfocusin(event) {
      inside = true;
      const inTail = event.target instanceof Element && event.target.closest(TAIL) !== null;
      current = inTail ? rows.total : (rowAt(event.target) ?? current);
    },
    onfocusout(event) {
      inside = event.relatedTarget instanceof Node && scroller()?.contains(event.relatedTarget) === true;
    },
  };
}
