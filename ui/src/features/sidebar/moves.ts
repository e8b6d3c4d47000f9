/** What a key does in the sidebar's list. Pure: it decides, the tree does it. */
import { isStop, type Item } from "../../state/items";
import { firstStop, headOf, lastStop, nextStop, successor } from "./stops";

export type Move =
  | { do: "go"; to: number }
  /** From the row to its button, and back. */
  | { do: "enter" | "leave" }
  /** Shuts or opens the group. */
  | { do: "toggle" }
  | { do: "menu" | "open" | "rename" | "delete" | "archive" | "mark" };

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat">;

/** The move of a key at an entry; null when the key means nothing there. `page` is how many rows fill the window. */
export function moveOf(
  event: KeyPress,
  items: readonly Item[],
  index: number,
  { page, onButton }: { page: number; onButton: boolean },
): Move | null {
  const item = items[index];
  if (!item || !isStop(item)) return null;
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) return { do: "menu" };
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const go = (to: number): Move => ({ do: "go", to });
  switch (event.key) {
    case "ArrowDown":
      return go(nextStop(items, index, 1));
    case "ArrowUp":
      return go(nextStop(items, index, -1));
    case "Home":
      return go(firstStop(items));
    case "End":
      return go(lastStop(items));
    case "PageDown":
      return go(successor(items, Math.min(items.length - 1, index + page)));
    case "PageUp":
      return go(successor(items, Math.max(0, index - page)));
    case "ArrowRight":
      return { do: item.kind === "group" && item.closed ? "toggle" : "enter" };
    case "ArrowLeft":
      if (onButton) return { do: "leave" };
      if (item.kind === "group" && !item.closed) return { do: "toggle" };
      return go(item.level === 2 ? headOf(items, index) : index);
  }
  const presses = event.key === "Enter" || event.key === " ";
  if (onButton && presses) return null;
  if (item.kind === "group") return presses ? { do: "toggle" } : null;
  return item.kind === "row" ? command(event) : null;
}

/** Keys of a row. A held key does a thing once. */
function command({ key, repeat }: KeyPress): Move | null {
  switch (key) {
    case "Enter":
      return { do: "open" };
    case "F2":
      return { do: "rename" };
    case "Delete":
      return { do: "delete" };
    case "e":
    case "E":
      return repeat ? null : { do: "archive" };
    case "u":
    case "U":
      return repeat ? null : { do: "mark" };
  }
  return null;
}
