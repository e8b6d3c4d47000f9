/** The order that the user gives to groups and pins. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { session } from "../test/fake";
import { arranged, orderAfterMove } from "./group-order";
import { pinnedAt, rankAt } from "./pin-order";

const same = (folder: string) => folder;

describe("groups", () => {
  test("stand as the user put them, the others behind by activity", () => {
    expect(arranged(["a", "b", "c", "d"], ["c", "gone", "a"], same)).toEqual(["c", "a", "b", "d"]);
    expect(arranged(["a", ""], [""], same)).toEqual(["", "a"]);
  });

  test("only as many are named as it takes to hold the place", () => {
    expect(orderAfterMove(["a", "b", "c", "d"], [], "d", 0)).toEqual(["d"]);
    expect(orderAfterMove(["a", "b", "c", "d"], [], "a", 2)).toEqual(["b", "c", "a"]);
  });

  const folders = fc.uniqueArray(fc.constantFrom("", "a", "b", "c", "d", "e", "f"), { minLength: 1 });

  test("a move holds whatever was ordered before, names nothing twice and forgets no folder", () => {
    fc.assert(
      fc.property(folders, folders, fc.nat(), fc.nat(), (byActivity, order, which, where) => {
        const shown = arranged(byActivity, order, same);
        const folder = shown[which % shown.length]!;
        const to = where % shown.length;
        const next = orderAfterMove(shown, order, folder, to);
        const wanted = shown.filter((other) => other !== folder).toSpliced(to, 0, folder);
        expect(arranged(byActivity, next, same)).toEqual(wanted);
        expect(new Set(next).size).toBe(next.length);
        for (const kept of order) expect(next).toContain(kept);
      }),
    );
  });
});

describe("pinned rows", () => {
  test("stand where they were put, and moving back gives the old order", () => {
    const ranks = fc.uniqueArray(fc.integer({ min: -5, max: 20 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(ranks, fc.nat(), fc.nat(), (all, which, where) => {
        const rows = [...all]
          .sort((a, b) => a - b)
          .map((rank) => session(`s${rank}`, { pinned: true, pin_rank: rank }));
        const ids = rows.map((row) => row.id);
        const from = which % rows.length;
        const to = where % rows.length;
        const id = ids[from]!;
        const moved = pinnedAt(rows, id, rankAt(rows, id, to));
        expect(moved.map((row) => row.id)).toEqual(ids.filter((other) => other !== id).toSpliced(to, 0, id));
        const back = pinnedAt(moved, id, rankAt(moved, id, from));
        expect(back.map((row) => row.id)).toEqual(ids);
        expect(new Set(back.map((row) => row.pin_rank)).size).toBe(back.length);
      }),
    );
  });
});
