/** A clock for durations that are counted on the screen. Call `clock` while a component is being set up. */
const TICK_MS = 1_000;

/** The time, milliseconds UTC, once a second while `wanted`. */
export function clock(wanted: () => boolean): { readonly at: number } {
  let at = $state(Date.now());
  const running = $derived(wanted());
  $effect(() => {
    if (!running) return;
    at = Date.now();
    const timer = setInterval(() => (at = Date.now()), TICK_MS);
    return () => clearInterval(timer);
  });
  return {
    get at() {
      return at;
    },
  };
}
