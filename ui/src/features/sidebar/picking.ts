/** Selection mode of the sidebar: which entries a range takes in, and what is done with all that is ticked. */
import { formatCount } from "../../lib/format";
import { lists } from "../../lib/texts";
import { toIpcError } from "../../platform";
import type { App } from "../../state/app.svelte";
import { restCount, type Item, type Section } from "../../state/items";
import type { Pickable } from "../../state/selection";

export type RowItem = Extract<Item, { kind: "row" }>;

const isRow = (item: Item): item is RowItem => item.kind === "row";

/** The section Sessions loads page after page; the pinned rows are all there. */
export function pickable(item: RowItem): Pickable {
  return { id: item.row.id, whole: item.section === "rest" };
}

export function isTicked(app: App, item: RowItem): boolean {
  return app.picked.active && app.picked.has(pickable(item));
}

export function countTicked(app: App): number {
  // The number of the whole is only looked up while it is what is ticked.
  return app.picked.count(app.picked.state.except === null ? 0 : restCount(app.list.state));
}

export function tick(app: App, item: RowItem): void {
  app.picked.dispatch({ type: "toggled", row: pickable(item) });
}

/** From the anchor to this entry, closed groups left out. Without an anchor, from `from`. */
export function tickTo(app: App, items: readonly Item[], to: number, from = to): void {
  const anchor = app.picked.state.anchor;
  const found = items.findIndex((item) => isRow(item) && item.row.id === anchor);
  const start = app.picked.active && found >= 0 ? found : from;
  const rows = items.slice(Math.min(start, to), Math.max(start, to) + 1).filter(isRow);
  if (start > to) rows.reverse();
  if (rows.length > 0) app.picked.dispatch({ type: "ranged", rows: rows.map(pickable) });
}

/** The whole section, with what its closed groups hold and what is not loaded. */
export function tickSection(app: App, section: Section): void {
  const { pinned, rest, gone, complete } = app.list.state;
  const shown = (rows: typeof rest) => rows.filter((row) => !gone.has(row.id)).map((row) => row.id);
  if (section === "rest") app.picked.all(shown(rest), complete);
  else app.picked.dispatch({ type: "apart_ticked", ids: shown(pinned) });
}

/** Ticks of rows that are no longer in the list go with them. */
export function dropVanished(app: App): void {
  const { pinned, rest, gone, complete, loading } = app.list.state;
  const { active, ids, apart, except } = app.picked.state;
  if (!active || (ids.size === 0 && apart.size === 0)) return;
  const there = new Set<string>();
  for (const rows of [pinned, rest]) for (const row of rows) if (!gone.has(row.id)) there.add(row.id);
  const settled = complete && loading === null && except === null;
  const left = [...apart, ...ids].filter((id) => !there.has(id) && (settled || gone.has(id)));
  if (left.length > 0) app.picked.dispatch({ type: "dropped", ids: new Set(left) });
}

export async function archiveTicked(app: App): Promise<void> {
  const ids = await idsOf(app);
  if (ids.length === 0) return;
  app.picked.end();
  await app.bulk.run("archive", ids);
}

/** Read, unless there is nothing unread among them and the key that turns the mark over was pressed. */
export async function markTicked(app: App, turn: boolean): Promise<void> {
  const ids = await idsOf(app);
  const meant = new Set(ids);
  const { pinned, rest } = app.list.state;
  const unread = [...pinned, ...rest].some((row) => row.unread && meant.has(row.id));
  await app.bulk.run(turn && !unread ? "mark_unread" : "mark_read", ids);
}

/** One question for all of them. */
export async function deleteTicked(app: App): Promise<void> {
  const ids = await idsOf(app);
  if (ids.length === 0) return;
  app.question = {
    title: lists.deleteMany(formatCount(ids.length)),
    detail: lists.deleteManyHint,
    confirm: lists.delete,
    run: () => {
      app.picked.end();
      void app.bulk.run("trash", ids);
    },
  };
}

async function idsOf(app: App): Promise<readonly string[]> {
  try {
    return await app.picked.ids();
  } catch (error) {
    app.toast({ kind: "failed", title: lists.selectionFailed, detail: toIpcError(error).message });
    return [];
  }
}
