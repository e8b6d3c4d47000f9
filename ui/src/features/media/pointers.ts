/** Pointers that are down on a picture: one drags it, two pinch it. Pure. */
import type { Point } from "./zoom";

/** What one step of a pointer did. */
export interface Moved {
  /** How far the picture goes along. */
  x: number;
  y: number;
  /** What its scale is multiplied by, about this point. */
  factor: number;
  middle: Point;
}

export interface Pointers {
  readonly count: number;
  /** How far all of them went since the first came down: a press that hardly moves is a click. */
  readonly travelled: number;
  down(id: number, at: Point): void;
  /** Null for one that is not down. */
  move(id: number, to: Point): Moved | null;
  up(id: number): void;
}

export function createPointers(): Pointers {
  const down = new Map<number, Point>();
  let travelled = 0;
  return {
    get count() {
      return down.size;
    },
    get travelled() {
      return travelled;
    },
    down(id, at) {
      if (down.size === 0) travelled = 0;
      down.set(id, at);
    },
    move(id, to) {
      const from = down.get(id);
      if (from === undefined) return null;
      down.set(id, to);
      const [x, y] = [to.x - from.x, to.y - from.y];
      travelled += Math.hypot(x, y);
      const other = [...down].find(([another]) => another !== id)?.[1];
      if (other === undefined) return { x, y, factor: 1, middle: to };
      const before = Math.hypot(from.x - other.x, from.y - other.y);
      const after = Math.hypot(to.x - other.x, to.y - other.y);
      return {
        // The middle of two goes half as far as the one that moves.
        x: x / 2,
        y: y / 2,
        factor: before > 0 ? after / before : 1,
        middle: { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 },
      };
    },
    up(id) {
      down.delete(id);
    },
  };
}
