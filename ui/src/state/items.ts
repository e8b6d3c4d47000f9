/** What the sidebar draws, as one flat list of entries with known heights. Pure. */
import type { SessionRow, WorkspaceGroup } from "../ipc";
import { shell } from "../lib/texts";
import { arranged } from "./group-order";
import type { ListState } from "./reducer";
import { titleOf } from "./session";

export type Section = "pinned" | "rest";

interface Placed {
  key: string;
  section: Section;
  /** 1-based depth, place and number of siblings, as the tree says them. */
  level: 1 | 2;
  pos: number;
  size: number;
}

export type Item =
  | { kind: "head"; key: string; section: Section; count: number }
  | (Placed & {
      kind: "group";
      folder: string | null;
      label: string;
      count: number;
      closed: boolean;
      unread: boolean;
      running: boolean;
      /** Approvals that wait inside. */
      approvals: number;
    })
  | (Placed & { kind: "row"; row: SessionRow })
  | (Placed & { kind: "placeholder" })
  | { kind: "empties"; key: string; count: number; shown: boolean }
  | { kind: "none"; key: string };

export type GroupItem = Extract<Item, { kind: "group" }>;

/** Heights in CSS pixels: exact, nothing is measured. */
export const ITEM_HEIGHT: Record<Item["kind"], number> = {
  head: 34,
  group: 28,
  row: 30,
  placeholder: 30,
  empties: 30,
  none: 120,
};

export interface Arrangement {
  grouped: boolean;
  /** Folders whose group is shut; `""` is the group without a folder. */
  closed: Pick<ReadonlySet<string>, "has">;
  /** Folders in the order that the user gave their groups. */
  order: readonly string[];
  showEmpty: boolean;
}

/** Entries that take the focus by arrows. */
export function isStop(item: Item): item is Extract<Item, Placed> {
  return item.kind === "row" || item.kind === "group" || item.kind === "placeholder";
}

/** What an entry is called. */
export function labelOf(item: Item): string {
  if (item.kind === "group") return item.label;
  return item.kind === "row" ? titleOf(item.row) : "";
}

/** Offset and height of a section's rows, in CSS pixels. */
export function sectionSpan(items: readonly Item[], section: Section): { top: number; height: number } {
  let top = 0;
  let height = 0;
  for (const item of items) {
    const own = ITEM_HEIGHT[item.kind];
    if (isStop(item) && item.section === section) height += own;
    else if (height === 0) top += own;
    else break;
  }
  return { top, height };
}

export function groupKey(folder: string | null): string {
  return folder ?? "";
}

export function sidebarItems(list: ListState, how: Arrangement): Item[] {
  const visible = (row: SessionRow) => !list.gone.has(row.id);
  const pinned = list.pinned.filter(visible);
  const rest = list.rest.filter(visible);
  const items: Item[] = [];

  if (pinned.length > 0) {
    items.push({ kind: "head", key: "head:pinned", section: "pinned", count: pinned.length });
    addRows(items, "pinned", pinned, pinned.length, 1, "pinned");
  }

  const groups = arranged(restGroups(list, rest), how.order, (group) => groupKey(group.folder));
  const total = groups.reduce((sum, group) => sum + group.count, 0);
  items.push({ kind: "head", key: "head:rest", section: "rest", count: total });

  if (how.grouped) {
    groups.forEach((group, index) => {
      const key = groupKey(group.folder);
      const closed = how.closed.has(key);
      items.push({
        kind: "group",
        key: `group:${key}`,
        section: "rest",
        folder: group.folder,
        label: group.label,
        count: group.count,
        closed,
        unread: group.rows.some((row) => row.unread),
        running: group.rows.some((row) => row.running),
        approvals: group.rows.reduce((sum, row) => sum + row.approvals, 0),
        level: 1,
        pos: index + 1,
        size: groups.length,
      });
      if (!closed) addRows(items, "rest", group.rows, group.count, 2, `rest:${key}`);
    });
  } else {
    addRows(items, "rest", rest, total, 1, "rest");
  }

  if (list.loaded && total === 0 && pinned.length === 0) items.push({ kind: "none", key: "none" });
  if (list.loaded && (how.showEmpty || list.hidden > 0)) {
    items.push({ kind: "empties", key: "empties", count: list.hidden, shown: how.showEmpty });
  }
  return items;
}

/** Every session of the section Sessions, as its head says it: also those that no page has brought yet. */
export function restCount(list: ListState): number {
  const rest = list.rest.filter((row) => !list.gone.has(row.id));
  return restGroups(list, rest).reduce((sum, group) => sum + group.count, 0);
}

function addRows(
  items: Item[],
  section: Section,
  rows: readonly SessionRow[],
  count: number,
  level: 1 | 2,
  key: string,
): void {
  rows.forEach((row, index) => {
    items.push({
      kind: "row",
      key: `${section}:${row.id}`,
      section,
      row,
      level,
      pos: index + 1,
      size: count,
    });
  });
  for (let index = rows.length; index < count; index++) {
    items.push({
      kind: "placeholder",
      key: `later:${key}:${index}`,
      section,
      level,
      pos: index + 1,
      size: count,
    });
  }
}

interface RestGroup {
  folder: string | null;
  label: string;
  rows: SessionRow[];
  count: number;
}

/**
 * The groups in order, the most recently active first. While pages still come, the store's own numbers say how long
 * each will be; afterwards the rows themselves do.
 */
function restGroups(list: ListState, rest: readonly SessionRow[]): RestGroup[] {
  const groups = new Map<string, RestGroup>();
  const open = (folder: string | null, workspace: string | null): RestGroup => {
    const key = groupKey(folder);
    let group = groups.get(key);
    if (!group) {
      group = { folder, label: workspace ?? folder ?? shell.noFolder, rows: [], count: 0 };
      groups.set(key, group);
    }
    return group;
  };
  if (!list.complete)
    for (const group of list.groups) open(group.folder, group.workspace).count = announced(list, group);
  for (const row of rest) open(row.folder, row.workspace).rows.push(row);
  const all = [...groups.values()];
  for (const group of all)
    group.count = list.complete ? group.rows.length : Math.max(group.count, group.rows.length);
  return all.filter((group) => group.count > 0);
}

/** The store's number, less what went away here since it was asked. */
function announced(list: ListState, group: WorkspaceGroup): number {
  if (list.gone.size === 0) return group.count;
  let count = group.count;
  for (const row of list.rest) {
    const gone = list.gone.get(row.id);
    if (gone && (gone.pending || gone.at > list.groupsAt) && row.folder === group.folder) count -= 1;
  }
  return count;
}
