/**
 * Found words may lie in what is folded up: the part of the page that holds them asks it to open. Call both functions
 * while a component is being set up.
 */
import { getContext, setContext, untrack } from "svelte";

const REVEAL = Symbol("reveal");

/** What is folded up inside this component opens whenever `wanted` becomes true. */
export function revealing(wanted: () => boolean): void {
  setContext(REVEAL, wanted);
}

/** `open` unfolds this component; it may be folded up again by hand. */
export function onReveal(open: () => void): void {
  const wanted = getContext<(() => boolean) | undefined>(REVEAL);
  $effect.pre(() => {
    if (wanted?.() === true) untrack(open);
  });
}
