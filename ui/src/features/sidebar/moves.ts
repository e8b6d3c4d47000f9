/** What a key does in the sidebar's list. Pure: it decides, the tree does it. */
import { isStop, type Item } from "../../state/items";
import { firstStop, headOf, lastStop, nextStop, successor } from "./stops";

export type Move =
  | { do: "go"; to: number }
  /** Into the buttons of the row, one on, one back; before the first it leaves them. */
  | { do: "enter" | "leave" }
  /** Shuts or opens the group. */
  | { do: "toggle" }
  /** Ticks the row or takes its tick away; ticks on to another row; ticks the whole section. */
  | { do: "pick" | "all" }
  | { do: "extend"; to: number }
  /** Moves a pinned row or a group among its neighbours. */
  | { do: "shift"; step: 1 | -1 }
  | { do: "menu" | "open" | "window" | "rename" | "delete" | "archive" | "mark" };

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat">;

export interface Keyboard {
  /** How many rows fill the window. */
  page: number;
  /** The key was pressed on a button of the row. */
  onButton: boolean;
  /** Single letters are commands. */
  letters: boolean;
  mac: boolean;
}

/** The move of a key at an entry; null when the key means nothing there. */
export function moveOf(event: KeyPress, items: readonly Item[], index: number, how: Keyboard): Move | null {
  const item = items[index];
  if (!item || !isStop(item)) return null;
  if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) return { do: "menu" };
  const command = how.mac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (command && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "a") return { do: "all" };
  const opens = event.key === "Enter" && !event.altKey && !event.shiftKey && !event.repeat && !how.onButton;
  if (command && opens) return item.kind === "row" ? { do: "window" } : null;
  if (event.ctrlKey || event.metaKey) return null;
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : null;
  if (event.altKey) return step !== null && movable(item) && !event.shiftKey ? { do: "shift", step } : null;
  if (event.shiftKey && step !== null) return { do: "extend", to: nextStop(items, index, step) };
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
      return go(successor(items, Math.min(items.length - 1, index + how.page)));
    case "PageUp":
      return go(successor(items, Math.max(0, index - how.page)));
    case "ArrowRight":
      return { do: item.kind === "group" && item.closed && !how.onButton ? "toggle" : "enter" };
    case "ArrowLeft":
      if (how.onButton) return { do: "leave" };
      if (item.kind === "group" && !item.closed) return { do: "toggle" };
      return go(item.level === 2 ? headOf(items, index) : index);
  }
  const presses = event.key === "Enter" || event.key === " ";
  if (how.onButton && presses) return null;
  if (item.kind === "group") return presses ? { do: "toggle" } : null;
  return item.kind === "row" ? rowCommand(event, how.letters) : null;
}

/** Pinned rows and groups have the order that the user gives them. */
export function movable(item: Item): boolean {
  return item.kind === "group" || (item.kind === "row" && item.section === "pinned");
}

/** Keys of a row. A held key does a thing once. */
function rowCommand({ key, repeat }: KeyPress, letters: boolean): Move | null {
  switch (key) {
    case "Enter":
      return { do: "open" };
    case " ":
      return repeat ? null : { do: "pick" };
    case "F2":
      return { do: "rename" };
    case "Delete":
      return { do: "delete" };
    case "e":
    case "E":
      return repeat || !letters ? null : { do: "archive" };
    case "u":
    case "U":
      return repeat || !letters ? null : { do: "mark" };
  }
  return null;
}
