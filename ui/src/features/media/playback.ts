/**
 * What outlives a card: where each file was left, how long it is and how large its picture, how fast it is heard, and
 * which player plays now. Lives as long as the window; the host keeps the places alone.
 */
export interface Remembered {
  /** Seconds; null until it was played here. */
  position: number | null;
  /** Seconds; null until it is known. */
  duration: number | null;
  /** Times the recorded speed; null until it was chosen for this file. */
  speed: number | null;
  /** CSS pixels of the picture; null until it was seen. */
  size: { width: number; height: number } | null;
}

const NOTHING: Remembered = { position: null, duration: null, speed: null, size: null };

const remembered = new Map<string, Remembered>();
/** Files remembered; the ones longest not used go first. */
const MOST = 500;

export function keyOf(sessionId: string, path: string): string {
  return `${sessionId}\n${path}`;
}

export function recall(key: string): Remembered {
  return remembered.get(key) ?? NOTHING;
}

export function remember(key: string, change: Partial<Remembered>): void {
  const next = { ...recall(key), ...change };
  remembered.delete(key);
  remembered.set(key, next);
  const oldest = remembered.keys().next();
  if (remembered.size > MOST && !oldest.done) remembered.delete(oldest.value);
}

/** The last choice in this window: it holds for files that none was made for. */
let lastSpeed = 1;

export function speedOf(key: string): number {
  return recall(key).speed ?? lastSpeed;
}

export function chooseSpeed(key: string, speed: number): void {
  lastSpeed = speed;
  remember(key, { speed });
}

let playing: HTMLMediaElement | null = null;

/** One player plays at a time: the one before stops where it is. */
export function claim(element: HTMLMediaElement): void {
  if (playing !== null && playing !== element) playing.pause();
  playing = element;
}

/** Gives up the file: pauses, drops the address and the decoder behind it. */
export function release(element: HTMLMediaElement): void {
  element.pause();
  if (playing === element) playing = null;
  element.removeAttribute("src");
  element.load();
}

/** Where to go on: not when almost nothing was heard, and not at the very end. Seconds. */
export function resumeAt(position: number, duration: number): number {
  if (!Number.isFinite(duration) || position < 0.5 || position > duration - 0.5) return 0;
  return position;
}
