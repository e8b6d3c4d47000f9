/** What the keys and the pointer do to a row, and to all that are ticked; and how a row or a group gets another place. */
import type { SessionRow } from "../../ipc";
import { formatCount } from "../../lib/format";
import { lists } from "../../lib/texts";
import type { MenuPlace } from "../../shared/menu";
import type { App } from "../../state/app.svelte";
import { groupKey, labelOf, type Item } from "../../state/items";
import { neighbours } from "./drop";
import type { Move } from "./moves";
import { archiveTicked, countTicked, deleteTicked, markTicked, tick, tickTo, type RowItem } from "./picking";

export interface RowHooks {
  onOpen: (row: SessionRow) => void;
  onRename: (row: SessionRow) => void;
  onDelete: (row: SessionRow) => void;
  onMenu: (row: SessionRow, place: MenuPlace) => void;
}

/**
 * A click on the row at `index`. While rows close up (`moving`), the one under the pointer is not the one that was aimed
 * at: a double click, or one that meets another window's archive, takes nothing away.
 */
export function clickRow(
  app: App,
  event: MouseEvent,
  items: readonly Item[],
  index: number,
  { onOpen, moving }: Pick<RowHooks, "onOpen"> & { moving: boolean },
): void {
  const item = items[index];
  if (item?.kind !== "row") return;
  const held = app.boot?.platform === "macos" ? event.metaKey : event.ctrlKey;
  if (event.shiftKey) tickTo(app, items, index, openAt(app, items));
  else if (app.picked.active) tick(app, item);
  else if (held && app.settings.row_click === "window") void app.turns.openWindow(item.row.id);
  else if (held) {
    if (!moving) void app.actions.archive(item.row);
  } else onOpen(item.row);
}

/** The open session's row, which the first range begins at; `undefined`: it is not in the list. */
function openAt(app: App, items: readonly Item[]): number | undefined {
  const open = app.open.session?.id;
  const at = items.findIndex((item) => item.kind === "row" && item.row.id === open);
  return at < 0 ? undefined : at;
}

/** A key at a row; with rows ticked, E, U and Del are for all of them. `anchor`: where its menu opens. */
export function runOnRow(app: App, move: Move, item: RowItem, anchor: HTMLElement, hooks: RowHooks): void {
  const { row } = item;
  const many = app.picked.active && countTicked(app) > 0;
  switch (move.do) {
    case "menu":
      return hooks.onMenu(row, anchor);
    case "open":
      return hooks.onOpen(row);
    case "window":
      return void app.turns.openWindow(row.id);
    case "rename":
      return hooks.onRename(row);
    case "pick":
      return tick(app, item);
    case "delete":
      return many ? void deleteTicked(app) : hooks.onDelete(row);
    case "archive":
      return void (many ? archiveTicked(app) : app.actions.archive(row));
    case "mark":
      return void (many ? markTicked(app, true) : app.actions.mark(row, !row.unread));
  }
}

/** Gives a pinned row or a group the place `to` among its neighbours. Answers with the words that say where it is now. */
export async function moveItem(app: App, items: readonly Item[], item: Item, to: number): Promise<string> {
  const among = neighbours(items, item);
  const from = placeAmong(items, item);
  const place = Math.max(0, Math.min(among.length - 1, to));
  const of = formatCount(among.length);
  let moved = false;
  if (place !== from && item.kind === "row") moved = await app.actions.movePinned(item.row, place);
  else if (place !== from && item.kind === "group") {
    const shown = among.flatMap((other) => (other.kind === "group" ? [groupKey(other.folder)] : []));
    moved = await app.actions.moveGroup(groupKey(item.folder), place, shown);
  }
  return moved
    ? lists.moved(labelOf(item), formatCount(place + 1), of)
    : lists.notMoved(labelOf(item), formatCount(from + 1), of);
}

/** Its place among the pinned rows, or among the groups, from 0. */
export function placeAmong(items: readonly Item[], item: Item): number {
  return neighbours(items, item).findIndex((other) => other.key === item.key);
}
