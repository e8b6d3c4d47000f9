/**
 * A pinned row or a group under the pointer: it begins after a few pixels, scrolls at the edges, ends where it is let go,
 * and Escape leaves everything as it was. Call it while the component is being set up.
 */
import type { Item } from "../../state/items";
import { movable } from "./moves";
import { dropPlaces, edgeScroll, nearestPlace, type DropPlace } from "./drop";

/** A shorter way is a click. CSS pixels. */
const BEGINS_AFTER = 5;

export interface Dragged {
  item: Item;
  /** The pointer in the window, CSS pixels. */
  x: number;
  y: number;
  place: DropPlace | null;
}

interface DragInput {
  items: readonly Item[];
  scroller: HTMLElement | undefined;
  /** What the offsets of the places are counted from. */
  origin: HTMLElement | undefined;
}

export interface Drag {
  readonly now: Dragged | null;
  press(event: PointerEvent, item: Item): void;
}

export function createDrag(input: () => DragInput, drop: (item: Item, to: number) => void): Drag {
  let now = $state.raw<Dragged | null>(null);
  let stop: () => void = () => {};

  $effect(() => () => stop());

  function placeAt(item: Item, y: number): DropPlace | null {
    const { items, origin } = input();
    return nearestPlace(dropPlaces(items, item), y - (origin?.getBoundingClientRect().top ?? 0));
  }

  function press(event: PointerEvent, item: Item): void {
    const chosen = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    // A finger scrolls.
    if (event.button !== 0 || chosen || event.pointerType === "touch" || !movable(item)) return;
    if ((event.target as HTMLElement).closest("button, input")) return;
    stop();
    const { clientX, clientY } = event;
    let frame = 0;

    const scroll = () => {
      const { scroller } = input();
      if (!now || !scroller) return;
      const { top, bottom } = scroller.getBoundingClientRect();
      const step = edgeScroll(now.y, top, bottom);
      if (step !== 0) {
        scroller.scrollTop += step;
        now = { ...now, place: placeAt(item, now.y) };
      }
      frame = requestAnimationFrame(scroll);
    };
    const move = (at: PointerEvent) => {
      // Let go outside of the window.
      if (at.buttons === 0) return stop();
      if (now === null && Math.hypot(at.clientX - clientX, at.clientY - clientY) < BEGINS_AFTER) return;
      const begins = now === null;
      now = { item, x: at.clientX, y: at.clientY, place: placeAt(item, at.clientY) };
      if (begins) frame = requestAnimationFrame(scroll);
    };
    const up = () => {
      const dropped = now;
      stop();
      if (!dropped) return;
      swallowClick();
      if (dropped.place) drop(dropped.item, dropped.place.to);
    };
    const key = (pressed: KeyboardEvent) => {
      if (pressed.key !== "Escape" || now === null) return;
      pressed.preventDefault();
      pressed.stopPropagation();
      stop();
      // The button is still down: letting it go is no click.
      window.addEventListener("pointerup", swallowClick, { once: true, capture: true });
    };
    const cancel = () => stop();
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", cancel);
    window.addEventListener("blur", cancel);
    window.addEventListener("keydown", key, { capture: true });
    stop = () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", cancel);
      window.removeEventListener("blur", cancel);
      window.removeEventListener("keydown", key, { capture: true });
      now = null;
      stop = () => {};
    };
  }

  return {
    get now() {
      return now;
    },
    press,
  };
}

/** The click that follows a pointer let go after a drag opens nothing. */
function swallowClick(): void {
  const swallow = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("click", swallow, { once: true, capture: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }));
}
