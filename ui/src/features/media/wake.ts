/**
 * WebKitGTK stops a muted video that is out of view and leaves it standing when it comes back, although it says that it
 * plays (measured; a seek does not help, nor WebKit's variable for it). Playing it anew does.
 */

/** Longer than a frame of any film takes, also on a busy computer. */
const STANDS_MS = 500;

/** Watches a video until the answer is called. */
export function wakeInView(node: HTMLVideoElement): () => void {
  if (typeof IntersectionObserver === "undefined") return () => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = new IntersectionObserver((entries) => {
    clearTimeout(timer);
    if (entries.at(-1)?.isIntersecting !== true || !isMutedPlaying(node)) return;
    const before = node.currentTime;
    timer = setTimeout(() => {
      if (!isMutedPlaying(node) || node.currentTime !== before) return;
      node.pause();
      node.play().catch(() => undefined);
    }, STANDS_MS);
  });
  watch.observe(node);
  return () => {
    clearTimeout(timer);
    watch.disconnect();
  };
}

function isMutedPlaying(node: HTMLVideoElement): boolean {
  return node.muted && !node.paused && !node.ended && !node.seeking;
}
