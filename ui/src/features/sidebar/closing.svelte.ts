/** The moment in which a list closes up after a row was taken away. Call it while the component is being set up. */

/** As long as the movement in the list's style. */
const CLOSING_MS = 120;

/** `gone`: how many rows are taken away; when it grows, the list closes up. */
export function createClosing(gone: () => number): { readonly now: boolean } {
  let now = $state(false);
  let before = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  // Before the rows are drawn in their new places, so that they move there.
  $effect.pre(() => {
    const count = gone();
    const grew = count > before;
    before = count;
    if (!grew) return;
    now = true;
    clearTimeout(timer);
    timer = setTimeout(() => (now = false), CLOSING_MS);
  });
  $effect(() => () => clearTimeout(timer));

  return {
    get now() {
      return now;
    },
  };
}

/**
 * Whether what an event met is on its way to its new place. The movement itself tells: on a busy machine `now` outlasts
 * it, and a click on a row that stands again is meant.
 */
export function isMoving(target: EventTarget | null): boolean {
  for (let node = target instanceof Element ? target : null; node !== null; node = node.parentElement) {
    if (node.getAnimations().length > 0) return true;
    if (node.getAttribute("role") === "treegrid") return false;
  }
  return false;
}
