/** Tab inside a modal dialog: from the last stop to the first. Left to itself it would stand nowhere in between. */

const STOPS = "button, input, select, textarea, a[href], [tabindex]";

/** The stops of Tab in their order; of radio buttons that belong together, the one that is chosen. */
export function tabStops(root: Element): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(STOPS)].filter((element) => {
    if (element.tabIndex < 0 || element.matches(":disabled") || element.closest("[hidden], [inert]"))
      return false;
    return !(element instanceof HTMLInputElement && element.type === "radio") || element.checked;
  });
}

/** Keeps Tab inside `root`. */
export function cycleTab(event: KeyboardEvent, root: Element): void {
  if (event.key !== "Tab" || event.ctrlKey || event.altKey || event.metaKey) return;
  const stops = tabStops(root);
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const [edge, next] = event.shiftKey ? [0, stops.at(-1)] : [stops.length - 1, stops[0]];
  if (next === undefined || (at >= 0 && at !== edge)) return;
  event.preventDefault();
  next.focus();
}
