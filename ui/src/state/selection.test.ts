import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusal } from "../test/fake";
import {
  countPicked,
  isPicked,
  noSelection,
  reduceSelection,
  type Pickable,
  type SelectionAction,
} from "./selection";
import { Selection } from "./selection.svelte";

/** Two pinned rows, eight of the list; of these only the first four are loaded. */
const PINNED = ["p0", "p1"];
const WHOLE = ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"];
const LOADED = WHOLE.slice(0, 4);
const row = (id: string): Pickable => ({ id, whole: id.startsWith("r") });
const play = (actions: SelectionAction[]) => actions.reduce(reduceSelection, noSelection);
const ticked = (actions: SelectionAction[]) => {
  const state = play(actions);
  return [...PINNED, ...WHOLE].filter((id) => isPicked(state, row(id)));
};
const toggled = (id: string): SelectionAction => ({ type: "toggled", row: row(id) });
const ranged = (...ids: string[]): SelectionAction => ({ type: "ranged", rows: ids.map(row) });
const everything: SelectionAction = { type: "whole_ticked" };

describe("the selection", () => {
  test("a range grows and shrinks with the row pointed at, and keeps what was ticked before", () => {
    expect(ticked([toggled("p0"), toggled("r1"), ranged("r1", "r2", "r3")])).toEqual([
      "p0",
      "r1",
      "r2",
      "r3",
    ]);
    expect(ticked([toggled("p0"), toggled("r1"), ranged("r1", "r2", "r3"), ranged("r1", "r2")])).toEqual([
      "p0",
      "r1",
      "r2",
    ]);
  });

  test("everything takes in rows that are not loaded, but for those taken out again", () => {
    expect(ticked([toggled("r1"), everything, toggled("r1"), toggled("p1")])).toEqual([
      "p1",
      ...WHOLE.filter((id) => id !== "r1"),
    ]);
    expect(countPicked(play([toggled("r1"), everything, toggled("r1"), toggled("p1")]), WHOLE.length)).toBe(
      8,
    );
  });

  test("ends without a trace", () => {
    expect(play([toggled("r1"), everything, { type: "ended" }])).toEqual(noSelection);
  });

  const anyId = fc.constantFrom(...PINNED, ...WHOLE);
  const step: fc.Arbitrary<SelectionAction> = fc.oneof(
    anyId.map(toggled),
    fc.tuple(fc.nat(9), fc.nat(9)).map(([from, to]) => {
      const all = [...PINNED, ...WHOLE];
      return ranged(...all.slice(Math.min(from, to), Math.max(from, to) + 1));
    }),
    fc.constant(everything),
    fc.constant<SelectionAction>({ type: "apart_ticked", ids: PINNED }),
    fc.constant<SelectionAction>({ type: "resolved", ids: WHOLE }),
  );

  test("holds exactly what a plain set of ids would, and counts it right, in any order of steps", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = noSelection;
        let model = new Set<string>();
        let base = new Set<string>();
        for (const action of steps) {
          state = reduceSelection(state, action);
          if (action.type === "toggled") {
            if (!model.delete(action.row.id)) model.add(action.row.id);
            base = new Set(model);
          } else if (action.type === "ranged") {
            model = new Set([...base, ...action.rows.map(({ id }) => id)]);
          } else if (action.type !== "resolved") {
            for (const id of action.type === "whole_ticked" ? WHOLE : PINNED) model.add(id);
            base = new Set(model);
          }
          const held = [...PINNED, ...WHOLE].filter((id) => isPicked(state, row(id)));
          expect(new Set(held)).toEqual(model);
          expect(countPicked(state, WHOLE.length)).toBe(model.size);
        }
      }),
    );
  });

  test("asks for the ids behind everything, and says when they cannot be read", async () => {
    let fail = true;
    const selection = new Selection(async () => {
      if (fail) throw refusal("busy", "The store is busy.", true);
      return WHOLE;
    });
    selection.all(LOADED, false);
    selection.dispatch(toggled("r6"));
    await expect(selection.ids()).rejects.toMatchObject({ message: "The store is busy." });
    expect(selection.count(WHOLE.length)).toBe(7);
    fail = false;
    expect(new Set(await selection.ids())).toEqual(new Set(WHOLE.filter((id) => id !== "r6")));
  });

  test("a late answer ticks nothing after the mode ended", async () => {
    let answer: (ids: readonly string[]) => void = () => {};
    const selection = new Selection(() => new Promise((resolve) => (answer = resolve)));
    selection.all(LOADED, false);
    selection.end();
    answer(WHOLE);
    await Promise.resolve();
    expect(selection.active).toBe(false);
    expect(selection.count(WHOLE.length)).toBe(0);
  });
});
