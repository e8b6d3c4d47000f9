/** Every shortcut of this version, in the order of Settings > Keyboard. Pure. */
import { keys } from "../../lib/keys";
import { keyboard } from "../../lib/texts";

export interface ShortcutGroup {
  title: string;
  /** Keys as people on this system write them, and what they do. */
  entries: readonly { keys: readonly string[]; words: string }[];
}

/** `letters`: single letters are commands of the list. `opens`: a click with the key held opens a window. */
export function shortcutGroups(platform: string, letters = true, opens = false): readonly ShortcutGroup[] {
  const names = keys(platform);
  const click = keyboard.click(names.click);
  return [
    {
      title: keyboard.anywhere,
      entries: [
        { keys: [names.newSession], words: keyboard.newSession },
        { keys: [names.search], words: keyboard.search },
        { keys: [names.find], words: keyboard.find },
        { keys: [names.findNext, names.findPrevious], words: keyboard.findStep },
        { keys: [names.settings], words: keyboard.settings },
        { keys: [names.stop], words: keyboard.stop },
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
        { keys: [names.move], words: keyboard.reorder },
        { keys: [names.open], words: keyboard.open },
        { keys: [names.openWindow, ...(opens ? [click] : [])], words: keyboard.openWindow },
        { keys: [names.rename], words: keyboard.rename },
        // Off in the settings, the letters do nothing: then only what does is listed.
        ...(letters || !opens
          ? [
              {
                keys: [...(letters ? [names.archive] : []), ...(opens ? [] : [click])],
                words: keyboard.archive,
              },
            ]
          : []),
        ...(letters ? [{ keys: [names.unread], words: keyboard.unread }] : []),
        { keys: [names.delete], words: keyboard.delete },
        { keys: [names.select, keyboard.click(keyboard.shift)], words: keyboard.select },
        { keys: [names.extend], words: keyboard.extend },
        { keys: [names.selectAll], words: keyboard.selectAll },
        { keys: [names.menu], words: keyboard.menu },
      ],
    },
    {
      title: keyboard.inSelection,
      entries: [
        ...(letters
          ? [
              { keys: [names.archive], words: keyboard.archiveAll },
              { keys: [names.unread], words: keyboard.unreadAll },
            ]
          : []),
        { keys: [names.delete], words: keyboard.deleteAll },
        { keys: ["Esc"], words: keyboard.done },
      ],
    },
    {
      title: keyboard.inComposer,
      entries: [
        { keys: [names.send], words: keyboard.send },
        { keys: [names.steer], words: keyboard.steer },
        { keys: [names.line], words: keyboard.line },
      ],
    },
    {
      title: keyboard.inTranscript,
      entries: [
        { keys: ["↑", "↓", "Home", "End"], words: keyboard.moveMessages },
        { keys: ["Tab"], words: keyboard.enterMessage },
      ],
    },
    {
      title: keyboard.inPlayer,
      entries: [
        { keys: [names.select], words: keyboard.play },
        { keys: ["←", "→"], words: keyboard.seek },
        { keys: ["Home", "End"], words: keyboard.ends },
        { keys: ["↑", "↓"], words: keyboard.volume },
        { keys: ["M"], words: keyboard.mute },
        { keys: ["F"], words: keyboard.fullscreen },
        { keys: ["<", ">"], words: keyboard.speed },
      ],
    },
    {
      title: keyboard.inPicture,
      entries: [
        { keys: ["+", "-"], words: keyboard.zoomPicture },
        { keys: ["0", "1"], words: keyboard.fitPicture },
        { keys: ["←", "→", "↑", "↓"], words: keyboard.panPicture },
        { keys: ["Esc"], words: keyboard.closePicture },
      ],
    },
  ];
}
