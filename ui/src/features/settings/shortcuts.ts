/** Every shortcut of this version, in the order of Settings > Keyboard. Pure. */
import { keys } from "../../lib/keys";
import { keyboard } from "../../lib/texts";

export interface ShortcutGroup {
  title: string;
  /** Keys as people on this system write them, and what they do. */
  entries: readonly { keys: readonly string[]; words: string }[];
}

export function shortcutGroups(platform: string): readonly ShortcutGroup[] {
  const names = keys(platform);
  return [
    {
      title: keyboard.anywhere,
      entries: [
        { keys: [names.newSession], words: keyboard.newSession },
        { keys: [names.search], words: keyboard.search },
        { keys: [names.find], words: keyboard.find },
        { keys: [names.findNext, names.findPrevious], words: keyboard.findStep },
        { keys: [names.settings], words: keyboard.settings },
        { keys: [names.zoomIn, names.zoomOut, names.zoomReset], words: keyboard.zoom },
        { keys: [names.undo], words: keyboard.undo },
        { keys: ["F6", names.shiftF6], words: keyboard.round },
        { keys: ["Esc"], words: keyboard.back },
      ],
    },
    {
      title: keyboard.inList,
      entries: [
        { keys: ["↑", "↓", "Home", "End"], words: keyboard.move },
        { keys: ["←", "→"], words: keyboard.fold },
        { keys: [names.open], words: keyboard.open },
        { keys: [names.rename], words: keyboard.rename },
        { keys: [names.archive, keyboard.click(names.click)], words: keyboard.archive },
        { keys: [names.unread], words: keyboard.unread },
        { keys: [names.delete], words: keyboard.delete },
        { keys: [names.menu], words: keyboard.menu },
      ],
    },
    {
      title: keyboard.inTranscript,
      entries: [
        { keys: ["↑", "↓", "Home", "End"], words: keyboard.moveMessages },
        { keys: ["Tab"], words: keyboard.enterMessage },
      ],
    },
  ];
}
