import { describe, expect, test } from "vitest";
import { sidebarItems, type Item } from "../../state/items";
import { emptyList } from "../../state/reducer";
import { session } from "../../test/fake";
import { dropPlaces, edgeScroll, nearestPlace } from "./drop";

const list = {
  ...emptyList,
  loaded: true,
  complete: true,
  pinned: ["p", "q", "r"].map((id, rank) => session(id, { pinned: true, pin_rank: rank })),
  rest: [
    session("a", { folder: "/x", workspace: "x" }),
    session("b", { folder: "/y", workspace: "y" }),
    session("c", { folder: "/y", workspace: "y" }),
  ],
};
const items = sidebarItems(list, { grouped: true, closed: new Set(), order: [], showEmpty: false });
const find = (key: string) => items.find((item) => item.key === key) as Item;

describe("where a dragged row may land", () => {
  test("the gaps of the pinned rows, and both beside it are its own place", () => {
    expect(dropPlaces(items, find("pinned:q"))).toEqual([
      { y: 34, to: 0 },
      { y: 64, to: 1 },
      { y: 94, to: 1 },
      { y: 124, to: 2 },
    ]);
  });

  test("the heads of the groups, and the end of the last one", () => {
    // Pinned to 124, the head of the section to 158; a group head has 28, a row 30.
    expect(dropPlaces(items, find("group:/x"))).toEqual([
      { y: 158, to: 0 },
      { y: 216, to: 0 },
      { y: 304, to: 1 },
    ]);
  });

  test("the nearest gap wins", () => {
    const places = dropPlaces(items, find("pinned:p"));
    expect(nearestPlace(places, 0)?.to).toBe(0);
    expect(nearestPlace(places, 112)?.to).toBe(2);
    expect(nearestPlace([], 10)).toBeNull();
  });

  test("near an edge the list scrolls, the faster the nearer", () => {
    expect(edgeScroll(300, 100, 500)).toBe(0);
    expect(edgeScroll(101, 100, 500)).toBe(-12);
    expect(edgeScroll(-40, 100, 500)).toBe(-12);
    expect(edgeScroll(480, 100, 500)).toBeGreaterThan(0);
    expect(edgeScroll(480, 100, 500)).toBeLessThan(edgeScroll(499, 100, 500));
  });
});
