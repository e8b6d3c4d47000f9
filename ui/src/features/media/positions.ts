/**
 * Says where the listener is, often enough to find the place again after a crash and seldom enough for the store: at a
 * pause, after a seek, at the end, every five seconds while it plays, and when the player goes away. It knows no player
 * and no host. Times are milliseconds; places are seconds.
 */

export const EVERY_MS = 5_000;
/** An arrow that is held down seeks many times a second: only where it comes to rest is said. */
export const REST_MS = 400;
/** Nearer than this to what was said last is the same place. */
const SAME_S = 0.25;

export interface Positions {
  /** The clock ran on. */
  played(seconds: number): void;
  /** Another place was chosen. */
  sought(seconds: number): void;
  /** It stands: paused, ended, or taken away. */
  stands(seconds: number): void;
  /** What waits is said, and nothing after it. */
  end(): void;
}

/** `from`: the place that the host knows already. */
export function createPositions(say: (seconds: number) => void, from: number, now = Date.now): Positions {
  let last = from;
  let lastAt = now();
  let waiting: { seconds: number; timer: ReturnType<typeof setTimeout> } | null = null;
  let ended = false;

  function tell(seconds: number) {
    if (waiting !== null) clearTimeout(waiting.timer);
    waiting = null;
    lastAt = now();
    if (ended || Math.abs(seconds - last) < SAME_S) return;
    last = seconds;
    say(seconds);
  }

  return {
    played(seconds) {
      if (waiting === null && now() - lastAt >= EVERY_MS) tell(seconds);
    },
    sought(seconds) {
      if (ended) return;
      if (waiting !== null) clearTimeout(waiting.timer);
      waiting = { seconds, timer: setTimeout(() => tell(seconds), REST_MS) };
    },
    stands: tell,
    end() {
      if (waiting !== null) tell(waiting.seconds);
      ended = true;
    },
  };
}
