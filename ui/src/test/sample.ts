/** Sessions for the preview page: the titles of the pictures, then as many more as asked for. */
import type { ImportReport, MessageRow, SessionRow } from "../ipc";
import { session } from "./fake";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Part = Partial<SessionRow>;
const place = (workspace: string): Part => ({ folder: `/home/ada/code/${workspace}`, workspace });

const NAMED: [string, number, Part][] = [
  ["Release 0.4 checklist", 2 * HOUR, { pinned: true, pin_rank: 1, ...place("talaria") }],
  [
    "Weekly finance import, ledger to parquet and back again",
    DAY,
    { pinned: true, pin_rank: 2, unread: true },
  ],
  ["論文の第三章を推敲する", 3 * DAY, { pinned: true, pin_rank: 3, ...place("thesis") }],
  [
    "Flaky seek test on WebKitGTK",
    20_000,
    { running: true, ...place("talaria"), git_branch: "fix/seek-past-end" },
  ],
  [
    "Router: hold events when the link drops for a moment",
    12 * MINUTE,
    { unread: true, ...place("talaria") },
  ],
  ["Why does the WAL grow past 64 MB when a reader stays open", HOUR, place("talaria")],
  ["Keyset paging for archived sessions", 3 * HOUR, place("talaria")],
  ["Notarisation fails on macOS 15 only", DAY, place("talaria")],
  ["Backfill 2023 orders", 4 * MINUTE, { running: true, unread: true, ...place("orchard-api") }],
  ["数据库连接池在高并发下耗尽的排查", 40 * MINUTE, place("orchard-api")],
  ["مراجعة عقد الاستضافة قبل التجديد", 2 * HOUR, place("orchard-api")],
  ["Migrate invoices to the event log", 5 * HOUR, place("orchard-api")],
  ["Rate limits: token bucket or sliding window, and where they are kept", 2 * DAY, place("orchard-api")],
  ["Chapter 2: figures and captions", 6 * HOUR, { unread: true, ...place("thesis") }],
  ["Back up NAS snapshots", 6 * HOUR, { running: true, ...place("home-lab") }],
  ["תצורה לנתב הביתי", DAY, place("home-lab")],
  ["Zigbee sensors drop off after 48 hours", 4 * DAY, place("home-lab")],
  ["Compare three heat pump quotes", 2 * DAY, {}],
  ["Media: loopback token check", 3 * HOUR, { archived: true, message_count: 84, ...place("talaria") }],
  ["Cover letter for the archive post", 5 * HOUR, { archived: true, message_count: 22 }],
  ["发票号码重复的原因", DAY, { archived: true, message_count: 131, ...place("orchard-api") }],
  [
    "Nightly dependency audit",
    DAY,
    { archived: true, unread: true, running: true, message_count: 912, ...place("talaria") },
  ],
  [
    "Split the storage crate in two without moving the migrations, and keep the public names",
    3 * DAY,
    { archived: true, ...place("talaria") },
  ],
  ["مقارنة أسعار الخوادم", 29 * DAY, { archived: true, message_count: 18 }],
  ["Washing machine error E18", 40 * DAY, { archived: true, message_count: 9 }],
  ["Postgres 17 upgrade, dry run", 400 * DAY, { archived: true, ...place("orchard-api") }],
  ["Old spike", 9 * DAY, { deleted_at: 1, ...place("talaria") }],
];

/** So many archived sessions, and so many in the trash. */
export function sampleAway(archived: number, deleted: number, now: number): SessionRow[] {
  const folders = ["talaria", "orchard-api", "thesis", null];
  return Array.from({ length: archived + deleted }, (_, index) => {
    const folder = folders[index % folders.length] ?? null;
    const away = index < archived ? { archived: true } : { deleted_at: now - (index - archived) * 12 * HOUR };
    return session(`away-${index}`, {
      title: `${index < archived ? "Archived" : "Deleted"} session ${index + 1}`,
      preview: `Number ${index + 1}: run the tests and tell me about the new findings only.`,
      message_count: (index * 37) % 1300,
      last_active: now - 4 * DAY - index * 7 * HOUR,
      ...(folder ? place(folder) : {}),
      ...away,
    });
  });
}

export function sampleSessions(count: number, now: number): SessionRow[] {
  const rows = NAMED.map(([title, age, part], index) =>
    session(`named-${index}`, {
      title,
      preview: `Look at ${title.toLowerCase()} and say what is wrong with it.`,
      last_active: now - age,
      created_at: now - age,
      ...part,
      ...(part.deleted_at ? { deleted_at: now - DAY } : {}),
    }),
  );
  const folders = ["talaria", "orchard-api", "thesis", "home-lab", null, "notes", "infra"];
  for (let index = 0; index < count; index++) {
    const folder = folders[index % folders.length] ?? null;
    rows.push(
      session(`more-${index}`, {
        title: `Session number ${index + 1}`,
        preview: `Number ${index + 1}: run the tests and tell me about the new findings only.`,
        last_active: now - 5 * DAY - index * 11 * MINUTE,
        ...(folder ? place(folder) : {}),
      }),
    );
  }
  for (let index = 0; index < 3; index++) {
    rows.push(
      session(`empty-${index}`, {
        title: null,
        preview: null,
        message_count: 0,
        last_active: now - 8 * DAY - index,
      }),
    );
  }
  return rows;
}

export function sampleMessages(id: string): MessageRow[] {
  return Array.from({ length: 40 }, (_, index) => ({
    id: `${id}-${index}`,
    index,
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    text:
      index % 2 === 0
        ? "Find out why. Leave the fallback alone."
        : "The element asks for the `moov` box **twice**.",
    created_at: 1_700_000_000_000 + index * MINUTE,
    tool_calls: [],
    tool: null,
    notice: null,
    media: [],
    reasoning: null,
    finish_reason: null,
  }));
}

export const sampleProgress = {
  done: 2984,
  total: 4812,
  current: "Weekly finance import, ledger to parquet",
};

export function sampleReport(cancelled: boolean): ImportReport {
  const counts = { active: 0, archived: 0, trash: 0, pinned: 0, hidden: 0 };
  return {
    path: "/home/ada/.hermes/state.db",
    source_sessions: 4812,
    source_messages: 211_930,
    sessions: cancelled ? 1146 : 4806,
    messages: cancelled ? 50_102 : 211_744,
    listed: cancelled ? 1100 : 4400,
    lineages: 12,
    branches: 3,
    delegate_children: 20,
    notices: 40,
    tool_calls: 900,
    archived: 318,
    empty: 4,
    unshown_messages: 186,
    unchanged: 0,
    skipped: [{ origin_id: "x1", title: "Broken", reason: "damaged row: no role" }],
    before: counts,
    after: { ...counts, active: 4082, archived: 318 },
    cancelled,
    elapsed_ms: 8_123,
  };
}
