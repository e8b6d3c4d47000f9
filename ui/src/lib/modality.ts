/**
 * Whether the focus is moved by keys. WebKit judges `:focus-visible` of a focus set by script by the last thing a user
 * focused by hand, so after one click in a list its arrows would move an invisible focus.
 */

const ALONE = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock"]);

/** Marks the root with `data-keyboard` from a key press to the next press of a pointer. The answer ends that. */
export function followModality(view: Window): () => void {
  const root = view.document.documentElement;
  const key = (event: KeyboardEvent) => {
    // Held for a click, it says nothing yet.
    if (!ALONE.has(event.key)) root.dataset["keyboard"] = "";
  };
  const pointer = () => delete root.dataset["keyboard"];
  view.addEventListener("keydown", key, { capture: true });
  view.addEventListener("pointerdown", pointer, { capture: true });
  return () => {
    view.removeEventListener("keydown", key, { capture: true });
    view.removeEventListener("pointerdown", pointer, { capture: true });
    pointer();
  };
}
