import { describe, expect, test } from "vitest";
import { session } from "../test/fake";
import { sidebarItems, type Item } from "./items";
import { emptyList, reduceList, type ListState } from "./reducer";

const grouped = { grouped: true, closed: new Set<string>(), showEmpty: false, order: [] };
const row = (id: string, folder: string | null, last_active: number) =>
  session(id, { folder: folder && `/w/${folder}`, workspace: folder, last_active });

function state(
  rows: ReturnType<typeof row>[],
  last: boolean,
  groups: [string | null, number][] = [],
): ListState {
  let list = reduceList(emptyList, { type: "load_started", at: 1 });
  list = reduceList(list, {
    type: "groups_loaded",
    at: 2,
    groups: groups.map(([name, count]) => ({
      folder: name && `/w/${name}`,
      workspace: name,
      count,
      last_active: 0,
    })),
  });
  return reduceList(list, { type: "page_loaded", load: 1, rows, last, hidden: 0 });
}

const kinds = (items: Item[]) =>
  items.map((item) =>
    item.kind === "row" ? item.row.id : item.kind === "group" ? `[${item.label} ${item.count}]` : item.kind,
  );

describe("the flat list of the sidebar", () => {
  test("has its real length at once: rows that are still to come have a place", () => {
    const items = sidebarItems(
      state([row("a", "x", 9)], false, [
        ["x", 3],
        ["y", 2],
      ]),
      grouped,
    );
    expect(kinds(items)).toEqual([
      "head",
      "[x 3]",
      "a",
      "placeholder",
      "placeholder",
      "[y 2]",
      "placeholder",
      "placeholder",
    ]);
  });

  test("orders complete groups by their newest row and names the one without a folder", () => {
    const items = sidebarItems(
      state([row("a", null, 9), row("b", "x", 8), row("c", null, 7)], true),
      grouped,
    );
    expect(kinds(items)).toEqual(["head", "[No folder 2]", "a", "c", "[x 1]", "b"]);
  });

  test("a shut group shows its mark and none of its rows", () => {
    const unread = { ...row("a", "x", 9), unread: true };
    const items = sidebarItems(state([unread], true), { ...grouped, closed: new Set(["/w/x"]) });
    expect(kinds(items)).toEqual(["head", "[x 1]"]);
    expect(items[1]).toMatchObject({ closed: true, unread: true });
  });

  test("gives every row its place among its siblings", () => {
    const items = sidebarItems(state([row("a", "x", 9), row("b", "x", 8)], false, [["x", 40]]), grouped);
    expect(items[3]).toMatchObject({ kind: "row", level: 2, pos: 2, size: 40 });
  });

  test("an announced row that was archived here is no longer waited for", () => {
    let list = state([row("a", "x", 9), row("b", "x", 8)], false, [["x", 3]]);
    list = reduceList(list, { type: "row_hidden", id: "a", at: 3 });
    expect(kinds(sidebarItems(list, grouped))).toEqual(["head", "[x 2]", "b", "placeholder"]);
  });

  test("says what is hidden, and what is shown instead offers to hide it", () => {
    const list = { ...state([row("a", "x", 9)], true), hidden: 3 };
    expect(sidebarItems(list, grouped).at(-1)).toMatchObject({ kind: "empties", count: 3, shown: false });
    const shown = sidebarItems({ ...list, hidden: 0 }, { ...grouped, showEmpty: true });
    expect(shown.at(-1)).toMatchObject({ kind: "empties", shown: true });
  });

  test("an empty list says so, but only once the store has answered", () => {
    expect(kinds(sidebarItems(emptyList, grouped))).toEqual(["head"]);
    expect(kinds(sidebarItems(state([], true), grouped))).toEqual(["head", "none"]);
  });
});
