/** What a web view does by itself that belongs to a page, not to an app. Pure but for the selection and the frames. */
import { isTextField } from "./keys";

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">;

/** Keys that would load the page anew. */
export function isReload({ key, ctrlKey, metaKey }: KeyPress): boolean {
  return key === "F5" || ((ctrlKey || metaKey) && key.toLowerCase() === "r");
}

/** Whether the web view's own menu is of use there: it edits text fields and copies what is selected. */
export function keepsOwnMenu(target: EventTarget | null, selection: Selection | null): boolean {
  if (isTextField(target)) return true;
  if (!(target instanceof Node) || selection === null || selection.rangeCount === 0) return false;
  const range = selection.getRangeAt(0);
  return !range.collapsed && range.intersectsNode(target);
}

/** What a key takes back or brings back in a text field; null for other keys. */
export function textUndoOf(
  event: KeyPress & Pick<KeyboardEvent, "shiftKey" | "altKey">,
  platform: string,
): "undo" | "redo" | null {
  // macOS has both in its Edit menu, Windows in its web view; WebKitGTK binds no key to them.
  if (platform !== "linux" || !event.ctrlKey || event.metaKey || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" && !event.shiftKey ? "redo" : null;
}

/** Calls once the page has drawn: the second frame begins when the first is through. A hidden page draws none. */
export function onFirstFrame(then: () => void): void {
  if (document.visibilityState === "hidden") then();
  else requestAnimationFrame(() => requestAnimationFrame(then));
}
