/** Keys as people on this system write them, and how a key press is recognised. Pure. */
export interface KeyNames {
  newSession: string;
  search: string;
  find: string;
  /** Goes to the next match; with Shift to the one before. */
  findNext: string;
  findPrevious: string;
  settings: string;
  zoomIn: string;
  zoomOut: string;
  zoomReset: string;
  rename: string;
  archive: string;
  unread: string;
  delete: string;
  open: string;
  /** Opens the row in a window of its own. */
  openWindow: string;
  undo: string;
  shiftF6: string;
  menu: string;
  /** In the composer: sends, sends into the turn, begins a line; stops the turn, anywhere. */
  send: string;
  steer: string;
  line: string;
  stop: string;
  /** Ticks the row, ticks on, ticks all; moves a pinned row or a group. */
  select: string;
  extend: string;
  selectAll: string;
  move: string;
  /** The key held while clicking a row to archive it. */
  click: string;
}

export function keys(platform: string): KeyNames {
  const mac = platform === "macos";
  return {
    newSession: mac ? "⌘N" : "Ctrl N",
    search: mac ? "⇧⌘F" : "Ctrl Shift F",
    find: mac ? "⌘F" : "Ctrl F",
    findNext: mac ? "⌘G" : "F3",
    findPrevious: mac ? "⇧⌘G" : "Shift F3",
    zoomIn: mac ? "⌘+" : "Ctrl +",
    zoomOut: mac ? "⌘-" : "Ctrl -",
    zoomReset: mac ? "⌘0" : "Ctrl 0",
    settings: mac ? "⌘," : "Ctrl ,",
    rename: "F2",
    archive: "E",
    unread: "U",
    delete: mac ? "⌦" : "Del",
    open: mac ? "↩" : "Enter",
    openWindow: mac ? "⌘↩" : "Ctrl Enter",
    undo: mac ? "⌘Z" : "Ctrl Z",
    shiftF6: mac ? "⇧F6" : "Shift F6",
    menu: mac ? "⇧F10" : "Shift F10",
    send: mac ? "↩" : "Enter",
    steer: mac ? "⌥↩" : "Alt Enter",
    line: mac ? "⇧↩" : "Shift Enter",
    stop: mac ? "⌘." : "Ctrl .",
    select: "Space",
    extend: mac ? "⇧↑ ⇧↓" : "Shift ↑ ↓",
    selectAll: mac ? "⌘A" : "Ctrl A",
    move: mac ? "⌥↑ ⌥↓" : "Alt ↑ ↓",
    click: mac ? "Cmd" : "Ctrl",
  };
}

/** The same keys as `aria-keyshortcuts` spells them: `Control+Shift+F`. */
export function spelled(name: string): string {
  const signs: Record<string, string> = { "⌘": "Meta+", "⇧": "Shift+", "↩": "Enter", "⌦": "Delete" };
  return name
    .replace(/[⌘⇧↩⌦]/g, (sign) => signs[sign] ?? sign)
    .replace("Ctrl ", "Control+")
    .replace("Shift ", "Shift+")
    .replace(/^Del$/, "Delete");
}

export type Shortcut =
  | "new"
  | "search"
  | "find"
  | "find_next"
  | "find_previous"
  | "settings"
  | "stop"
  | "undo"
  | "round"
  | "round_back"
  | "back";

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/** The window-wide shortcut of a key press, if it is one. */
export function shortcutOf(event: KeyPress, platform: string): Shortcut | null {
  const command = platform === "macos" ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  const key = event.key.toLowerCase();
  if (event.altKey) return null;
  if (command) {
    if (key === "n" && !event.shiftKey) return "new";
    if (key === "f") return event.shiftKey ? "search" : "find";
    if (key === "g") return event.shiftKey ? "find_previous" : "find_next";
    if (key === "," && !event.shiftKey) return "settings";
    if (key === "." && !event.shiftKey) return "stop";
    if (key === "z" && !event.shiftKey) return "undo";
    return null;
  }
  if (event.ctrlKey || event.metaKey) return null;
  if (key === "f3") return event.shiftKey ? "find_previous" : "find_next";
  if (key === "f6") return event.shiftKey ? "round_back" : "round";
  if (key === "escape") return "back";
  return null;
}

export type ZoomStep = "in" | "out" | "reset";

/**
 * What a key does to the size of everything. "+" lies on "=" on many keyboards and wants Shift there, so both count,
 * with and without it; the number pad sends the same letters.
 */
export function zoomOf(event: KeyPress, platform: string): ZoomStep | null {
  const command = platform === "macos" ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (!command || event.altKey) return null;
  if (event.key === "+" || event.key === "=") return "in";
  if (event.key === "-") return "out";
  return event.key === "0" ? "reset" : null;
}

/** Whether keys typed there are text: undo and single letters belong to it. */
export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return (
    target instanceof HTMLInputElement && !["checkbox", "radio", "range", "button"].includes(target.type)
  );
}
