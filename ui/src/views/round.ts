/** F6: round the parts of the window. */
/** The chat has two stops: what is read, with the header above it, and what is written. */
const ORDER = ["sidebar", "chat", "banner", "composer", "toasts"] as const;
const FOCUSABLE = 'a[href], button:not([disabled]), input, textarea, [tabindex="0"]';

/** Focuses the next part that can take it. `special` may do it for a part in its own way and then answers `true`. */
export function nextRegion(root: Document, step: 1 | -1, special: (name: string) => boolean): boolean {
  const here = root.activeElement?.closest<HTMLElement>("[data-round]")?.dataset["round"] ?? "";
  const from = (ORDER as readonly string[]).indexOf(here);
  for (let i = 1; i <= ORDER.length; i++) {
    const at =
      from < 0 ? (step > 0 ? i - 1 : ORDER.length - i) : (from + step * i + ORDER.length * 2) % ORDER.length;
    const name = ORDER[at];
    if (name === undefined || name === here) continue;
    if (special(name)) return true;
    const region = root.querySelector<HTMLElement>(`[data-round="${name}"]`);
    if (!region || region.closest("[inert]")) continue;
    const own = [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
      (element) => element.closest("[data-round]") === region,
    );
    // What is read comes before the buttons above it.
    const target = own.find((element) => element.tagName === "ARTICLE") ?? own[0];
    if (target) {
      target.focus();
      return true;
    }
  }
  return false;
}
