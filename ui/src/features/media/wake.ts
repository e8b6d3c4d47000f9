/**
 * Players that WebKitGTK leaves standing. Two kinds stand although it says that they play; playing anew wakes both, a seek
 * does not (measured; the variable that the shell sets for the first kind, `media_transport.rs`, cured a bare page and is not
 * enough in the app's window):
 * - a muted video that was out of view, when it comes back;
 * - any player after a seek or at a replay, now and then: every byte has been answered and is buffered, yet WebKit does
 *   not start its clock again (measured: two of 150 over HTTP, more often on a busy computer).
 *
 * The third is paused: once a player has come to its end, WebKit holds every seek back until it plays, and shows the last
 * picture until then (measured, over HTTP and by the scheme).
 */

/** Longer than a frame of any film takes, also on a busy computer. */
const STANDS_MS = 500;
/** A clock that stands so long with its data there starts no more by itself (measured: it stood for minutes). */
const STALLS_MS = 1000;
/** So often at one place: what does not help three times does not help. */
const TRIES = 3;
/** Seconds; a buffered part may begin a frame after the place that was sought. */
const SLACK_S = 0.1;

/** Watches a video until the answer is called. */
export function wakeInView(node: HTMLVideoElement): () => void {
  if (typeof IntersectionObserver === "undefined") return () => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isMutedPlaying = () => node.muted && isPlaying(node);
  const watch = new IntersectionObserver((entries) => {
    clearTimeout(timer);
    if (entries.at(-1)?.isIntersecting !== true || !isMutedPlaying()) return;
    const before = node.currentTime;
    timer = setTimeout(() => {
      if (isMutedPlaying() && node.currentTime === before) playAnew(node);
    }, STANDS_MS);
  });
  watch.observe(node);
  return () => {
    clearTimeout(timer);
    watch.disconnect();
  };
}

/** Watches a player, while it plays, until the answer is called. */
export function wakeStalled(node: HTMLMediaElement): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  /** Where it was at the last look, if it could have gone on from there. */
  let before: number | null = null;
  let tries = 0;
  const look = () => {
    if (node.paused || node.ended) {
      clearInterval(timer);
      timer = undefined;
      before = null;
      return;
    }
    const at = canRun(node) ? node.currentTime : null;
    if (at === null || at !== before) {
      if (at !== null) tries = 0;
      before = at;
    } else if (tries < TRIES) {
      tries += 1;
      playAnew(node);
    }
  };
  const watch = () => (timer ??= setInterval(look, STALLS_MS));
  node.addEventListener("play", watch);
  return () => {
    clearInterval(timer);
    node.removeEventListener("play", watch);
  };
}

function playAnew(node: HTMLMediaElement): void {
  node.pause();
  node.play().catch(() => undefined);
}

function isPlaying(node: HTMLMediaElement): boolean {
  return !node.paused && !node.ended && !node.seeking;
}

/** Whether it plays and the data of its place are here. */
function canRun(node: HTMLMediaElement): boolean {
  const at = node.currentTime;
  const parts = Array.from({ length: node.buffered.length }, (_, i) => i);
  return (
    isPlaying(node) && parts.some((i) => node.buffered.start(i) <= at + SLACK_S && at < node.buffered.end(i))
  );
}

/**
 * Lets a player that stands at its end go where it is sent, until the answer is called. Playing lets the seek through;
 * the pause in the same moment keeps it from being heard.
 */
export function wakeAtEnd(node: HTMLMediaElement): () => void {
  let held = false;
  const listeners: Record<string, () => void> = {
    ended: () => (held = true),
    // Whoever plays it has let it go already.
    seeked: () => (held = false),
    seeking() {
      if (!held || !node.paused) return;
      held = false;
      node.play().catch(() => undefined);
      node.pause();
    },
  };
  for (const [type, listener] of Object.entries(listeners)) node.addEventListener(type, listener);
  return () => {
    for (const [type, listener] of Object.entries(listeners)) node.removeEventListener(type, listener);
  };
}
