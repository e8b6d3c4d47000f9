/** A store in trouble, for tests and the preview page. */
import type { BootFailure, HealthReport, RecoveryReport, StoreTrouble } from "../ipc";

const PATH = "/home/ada/.local/share/talaria/talaria.db";

export const damaged: StoreTrouble = {
  code: "damaged",
  title: "The session store is damaged",
  message: "A part of the file does not read. What reads is listed. Nothing new is saved.",
  path: PATH,
  bytes: 1_400_000_000,
  found: [
    "page 81,204: wrong checksum",
    "index sessions_by_last_active: 851 rows missing",
    "search index: unreadable, will be rebuilt",
  ],
  readable: 3961,
  total: 4812,
  recoverable: true,
};

const whole = { found: [], readable: null, total: null, recoverable: false, path: PATH, bytes: 240_000_000 };

export const troubles: Record<string, StoreTrouble> = {
  damaged,
  newer: {
    ...whole,
    code: "newer",
    title: "The store is newer than this Talaria",
    message:
      "It was written by a newer version (format 9; this one knows 2). Update Talaria to go on writing.",
  },
  read_only: {
    ...whole,
    code: "read_only",
    title: "The data folder cannot be written",
    message: "Nothing new is saved. Give this user the right to write there, then try again.",
  },
  disk_full: {
    ...whole,
    code: "disk_full",
    title: "The disk is full",
    message: "Nothing new is saved. Free some space, then try again.",
  },
  no_locks: {
    ...whole,
    code: "no_locks",
    title: "The store cannot be locked where it lies",
    message: "This network folder has no locks. Move the data folder to a local disk, then try again.",
  },
};

export const damagedFailure = (retryAt: number): BootFailure => ({
  code: "damaged",
  title: "The session store is damaged",
  message: "Its first page does not read, so nothing can be shown.",
  log: ["14:02:11  open    ~/.local/share/talaria", "14:02:11  check   page 1: not a database"],
  retry_at: retryAt,
  recoverable: true,
});

export const recoveryReport: RecoveryReport = {
  tables: [
    { table: "sessions", rows: 4790, lost: 22 },
    { table: "messages", rows: 201_404, lost: 10_526 },
    { table: "drafts", rows: 3, lost: 0 },
    { table: "settings", rows: 9, lost: 0 },
  ],
  sessions: 4790,
  messages: 201_404,
  incomplete: 79,
  kept: "/home/ada/.local/share/talaria/talaria.db.damaged-2026-12-01",
  elapsed_ms: 112_400,
};

export const healthReport = (at: number): HealthReport => ({
  items: [
    { name: "File", state: "good", words: "Every page reads." },
    { name: "Counts", state: "repaired", words: "2 counts were wrong and were counted anew." },
    { name: "Search", state: "bad", words: "The index cannot be rebuilt: the disk is full." },
  ],
  checked_at: at,
  cancelled: false,
});
