/** Tells when an element comes near the window of its scroller, and when it leaves. */

/** How far outside the window counts as near: about half a screen, so that a handful of files is open at most. */
const MARGIN = "400px 0px";

export function near(set: (isNear: boolean) => void): (node: HTMLElement) => () => void {
  return (node) => {
    if (typeof IntersectionObserver === "undefined") {
      set(true);
      return () => undefined;
    }
    const watch = new IntersectionObserver((entries) => set(entries.at(-1)?.isIntersecting === true), {
      root: node.closest("[data-media-root]"),
      rootMargin: MARGIN,
    });
    watch.observe(node);
    return () => watch.disconnect();
  };
}
