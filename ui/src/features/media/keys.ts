/**
 * What a key does to the player it is pressed in. Pure. The web view's own controls know only Space, and only where
 * they have the focus (measured), so every key here is taken before it reaches them.
 */

export type PlayerAct =
  | { act: "toggle" }
  /** Seconds, back when negative. */
  | { act: "seek"; by: number }
  | { act: "start" }
  | { act: "end" }
  /** Of 1, down when negative. */
  | { act: "volume"; by: number }
  | { act: "mute" }
  | { act: "fullscreen" }
  | { act: "speed"; step: 1 | -1 };

export interface PlayerKeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** One press of an arrow: seconds, and of the whole volume. */
export const SEEK_S = 5;
export const VOLUME = 0.1;

/** `onControl`: a button has the focus, so Space presses it. */
export function playerAct(
  press: PlayerKeyPress,
  { isVideo, onControl }: { isVideo: boolean; onControl: boolean },
): PlayerAct | null {
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  // Where they lie, these two want Shift on many keyboards.
  if (press.key === "<") return { act: "speed", step: -1 };
  if (press.key === ">") return { act: "speed", step: 1 };
  if (press.shiftKey) return null;
  switch (press.key) {
    case " ":
      return onControl ? null : { act: "toggle" };
    case "ArrowLeft":
      return { act: "seek", by: -SEEK_S };
    case "ArrowRight":
      return { act: "seek", by: SEEK_S };
    case "ArrowUp":
      return { act: "volume", by: VOLUME };
    case "ArrowDown":
      return { act: "volume", by: -VOLUME };
    case "Home":
      return { act: "start" };
    case "End":
      return { act: "end" };
  }
  const letter = press.key.toLowerCase();
  if (letter === "m") return { act: "mute" };
  if (letter === "f" && isVideo) return { act: "fullscreen" };
  return null;
}

/** Where a seek by this many seconds leads; an end that is not known stops nothing. */
export function seekTo(position: number, by: number, duration: number): number {
  const to = Math.max(0, position + by);
  return Number.isFinite(duration) ? Math.min(to, duration) : to;
}

/** 0 to 1, in whole steps so that it never sticks beside them. */
export function volumeAfter(volume: number, by: number): number {
  return Math.min(1, Math.max(0, Math.round((volume + by) * 100) / 100));
}
