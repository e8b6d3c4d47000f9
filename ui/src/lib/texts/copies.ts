/** Words of what is made from a session: a branch, a copy, a file. */
import { counted } from "./counted";

export const copies = {
  menuBranch: "Branch",
  menuDuplicate: "Duplicate",
  menuExport: "Export",
  branchFromHere: "Branch from here",
  branched: "Branched",
  duplicated: "Duplicated",
  manyBranched: (n: string) => `${n} branched`,
  manyDuplicated: (n: string) => `${n} duplicated`,
  branchFailed: "Branch failed",
  duplicateFailed: "Duplicate failed",

  exportTitle: (title: string) => `Export “${title}”`,
  exportSection: "Export",
  exportAllTitle: "Export all sessions",
  exportAllHint: "Every active and archived session, a file each, into a folder you choose.",
  exportAll: "Export all...",
  format: "Format",
  formats: {
    markdown: { name: "Markdown", words: "For reading: what you see here, as text with headings." },
    json: { name: "JSON", words: "For programs: the session and all its messages as one object." },
    jsonl: { name: "JSONL", words: "For programs: a line for the session, then a line for each message." },
  },
  exportTo: "Export...",
  exportBusy: "An export is running. Wait for its end, or cancel it.",
  exporting: (title: string) => `Exporting “${title}”`,
  exportingAll: "Exporting all sessions",
  exportingSomething: "Exporting",
  progress: (done: string, total: string, unit: "message" | "session" | null) =>
    unit === null ? `${done} of ${total}` : `${done} of ${counted(total, unit, `${unit}s`)}`,
  cancelExport: "Cancel export",
  exportedTo: (name: string) => `Exported to ${name}`,
  exportCancelled: "Export cancelled",
  exportFailed: "Export failed",
  exportIncomplete: "Not everything was exported",
  exportSkipped: (n: string, named: string, more: boolean, path: string) =>
    `${counted(n, "session", "sessions")} could not be read: ${named}${more ? " and more" : ""}. The rest is in ${path}.`,
} as const;
