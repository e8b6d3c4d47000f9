/**
 * Where a picture stands in its zoom view, and where a step leads. Pure. Lengths are CSS pixels; `x` and `y` are of the
 * picture's middle from the view's.
 */
export interface Extent {
  width: number;
  height: number;
}

export interface Placed {
  /** 1: one pixel of the picture is one of the page. */
  scale: number;
  x: number;
  y: number;
}

export interface Point {
  x: number;
  y: number;
}

/** One press of a button or a key. */
export const STEP = 1.25;
/** The largest scale there is. */
export const MOST = 16;

/** The scale at which the whole picture is in view; a small one stays as it is. */
export function fitScale(picture: Extent, view: Extent): number {
  if (picture.width <= 0 || picture.height <= 0 || view.width <= 0 || view.height <= 0) return 1;
  return Math.min(1, view.width / picture.width, view.height / picture.height);
}

export function fitted(picture: Extent, view: Extent): Placed {
  return { scale: fitScale(picture, view), x: 0, y: 0 };
}

/** The same place, never past the picture's edges; what is smaller than the view stands in its middle. */
export function held(placed: Placed, picture: Extent, view: Extent): Placed {
  const scale = Math.min(MOST, Math.max(fitScale(picture, view), placed.scale));
  const room = (length: number, of: number) => Math.max(0, (length * scale - of) / 2);
  const clamp = (value: number, most: number) => Math.min(most, Math.max(-most, value)) + 0;
  return {
    scale,
    x: clamp(placed.x, room(picture.width, view.width)),
    y: clamp(placed.y, room(picture.height, view.height)),
  };
}

/** Another scale; what lies under `at` (from the view's middle) stays there. */
export function zoomed(placed: Placed, scale: number, at: Point, picture: Extent, view: Extent): Placed {
  const to = Math.min(MOST, Math.max(fitScale(picture, view), scale));
  const by = to / placed.scale;
  return held(
    { scale: to, x: at.x - (at.x - placed.x) * by, y: at.y - (at.y - placed.y) * by },
    picture,
    view,
  );
}

/** What a double click leads to: the whole picture, or from there its actual size, or twice that of a small one. */
export function toggledScale(placed: Placed, picture: Extent, view: Extent): number {
  const fit = fitScale(picture, view);
  if (placed.scale > fit * 1.001) return fit;
  return fit < 1 ? 1 : 2;
}

/** What a turn of the wheel, or a pinch that comes as one, multiplies the scale by. */
export function wheelFactor(deltaY: number, isPinch: boolean): number {
  const clamped = Math.max(-100, Math.min(100, deltaY));
  return Math.exp(-clamped * (isPinch ? 0.01 : 0.0022));
}

export type ZoomAct =
  | { act: "zoom"; by: number }
  | { act: "fit" }
  | { act: "actual" }
  /** Parts of the view. */
  | { act: "pan"; x: number; y: number };

/** What a key does in the zoom view. Keys with a modifier belong to the window. */
export function zoomAct(press: {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}): ZoomAct | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  switch (press.key) {
    case "+":
    case "=":
      return { act: "zoom", by: STEP };
    case "-":
    case "_":
      return { act: "zoom", by: 1 / STEP };
    case "0":
      return { act: "fit" };
    case "1":
      return { act: "actual" };
    case "ArrowLeft":
      return { act: "pan", x: 0.1, y: 0 };
    case "ArrowRight":
      return { act: "pan", x: -0.1, y: 0 };
    case "ArrowUp":
      return { act: "pan", x: 0, y: 0.1 };
    case "ArrowDown":
      return { act: "pan", x: 0, y: -0.1 };
    default:
      return null;
  }
}
