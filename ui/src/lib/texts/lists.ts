/** Words of the lists: selection mode, bulk actions, groups, places, the automatic archive. */
import { counted } from "./counted";

const sessions = (n: string) => counted(n, "session", "sessions");

export const lists = {
  select: "Select",
  selection: "Selection",
  selected: (n: string) => `${n} selected`,
  archive: "Archive",
  markRead: "Mark read",
  delete: "Delete",
  done: "Done",
  nothingSelected: "Nothing is selected.",

  selectRow: (title: string) => `Select ${title}`,
  selectAll: (n: string) => `Select all ${n}`,
  selectAllFound: "Select all found",
  allFound: "All found selected",
  unarchive: "Unarchive",
  purge: "Delete permanently",
  columnSession: "Session",
  columnFolder: "Folder",
  columnMessages: "Messages",
  columnActive: "Last active",

  deleteMany: (n: string) => `Delete ${sessions(n)}?`,
  deleteManyHint: "They go to Recently deleted and are kept for 30 days.",
  purgeMany: (n: string) => `Permanently delete ${sessions(n)}? This cannot be undone.`,
  archiveInFolder: "Archive all in this workspace",
  archiveInNoFolder: "Archive all without a folder",
  archiveManyIn: (n: string, workspace: string) => `Archive ${sessions(n)} in ${workspace}?`,
  archiveManyNoFolder: (n: string) => `Archive ${sessions(n)} without a folder?`,
  archiveManyHint: "They stay in Settings, under Archived Chats. Pinned sessions are left alone.",
  archiveManyEmpty: (n: string) =>
    n === "1" ? "One of them is empty and not listed." : `${n} of them are empty and not listed.`,
  archiveMany: (n: string) => `Archive ${n}`,
  nothingInGroup: "Nothing to archive here",
  markAllRead: "Mark all read",

  manyMarkedRead: (n: string) => `${n} marked read`,
  manyMarkedUnread: (n: string) => `${n} marked unread`,
  markedRead: "Marked read",
  markedUnread: "Marked unread",
  allReadAlready: "All of them were read already",
  manyRenamed: (n: string) => `${n} renamed`,
  manyPurged: (n: string) => `${n} deleted permanently`,
  notArchived: (n: string) => `${n} not archived`,
  notUnarchived: (n: string) => `${n} not unarchived`,
  notDeleted: (n: string) => `${n} not deleted`,
  notRestored: (n: string) => `${n} not restored`,
  notMarked: (n: string) => `${n} not marked`,
  moveFailed: "Not moved",
  selectionFailed: "The selection could not be read",

  openGroup: "Open group",
  closeGroup: "Close group",
  moved: (what: string, place: string, of: string) => `${what}, moved to place ${place} of ${of}`,
  notMoved: (what: string, place: string, of: string) => `${what} stays at place ${place} of ${of}`,

  stopped: "Stopped after a while: type more letters",

  sweep: "Automatic archive",
  sweepSetting: "Archive sessions without activity",
  sweepSettingHint:
    "Pinned, unread and open sessions stay, and those with a draft. What was archived is in Archived Chats.",
  sweepDays: "Days without activity",
  sweepFor: "for",
  sweepDaysUnit: "days",
  sweepDaysRange: "A whole number of days from 1 to 3,650",
  sweepLooking: "Looking for sessions...",
  sweepWould: (n: string) => `${sessions(n)} would be archived now`,
  sweepNone: "No session would be archived now",
  sweepMore: (n: string) => `and ${n} more`,
  sweepStay: (n: string) =>
    `${n} ${n === "1" ? "stays" : "stay"}: pinned, unread, with a draft, open, or brought back before`,
  sweepStart: (n: string) => `Archive ${n} now and keep doing so`,
  sweepStartEmpty: "Turn on",
  sweepChange: "Change",
  sweepRestore: (n: string) =>
    `Restore ${n} that ${n === "1" ? "was" : "were"} archived by the shorter limit`,
  sweepFailed: "The preview could not be made",
  sweptToast: (n: string) => `${sessions(n)} archived:`,
  sweptDetail: (days: string) => `no activity for ${counted(days, "day", "days")}`,

  letterKeys: "Single letters act on the row in focus",
  letterKeysHint: "Only while the session list has the focus: E archives, U marks unread or read.",
} as const;
