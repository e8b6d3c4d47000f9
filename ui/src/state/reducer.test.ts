import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionRow } from "../ipc";
import { session } from "../test/fake";
import { sidebarItems } from "./items";
import { emptyList, reduceList, type ListAction, type ListState } from "./reducer";

const open = { grouped: false, closed: new Set<string>(), showEmpty: false, order: [] };

function play(actions: ListAction[], from: ListState = emptyList): ListState {
  return actions.reduce(reduceList, from);
}

/** Ids as the sidebar shows them: pinned, a bar, the rest. */
function shown(state: ListState): string[] {
  const items = sidebarItems(state, open);
  const ids = (section: string) =>
    items.flatMap((item) => (item.kind === "row" && item.section === section ? [item.row.id] : []));
  return [...ids("pinned"), "|", ...ids("rest")];
}

function rows(ids: string, from = 1000): SessionRow[] {
  return ids.split("").map((id, index) => session(id, { last_active: from - index * 10 }));
}

function pin(id: string, rank: number): SessionRow {
  return session(id, { pinned: true, pin_rank: rank });
}

function loaded(ids: string, pinned: SessionRow[] = []): ListState {
  return play([
    { type: "load_started", at: 1 },
    { type: "pinned_loaded", at: 2, rows: pinned },
    { type: "page_loaded", load: 1, rows: rows(ids), last: true, hidden: 0 },
  ]);
}

describe("an optimistic archive", () => {
  test("takes the row away at once, before the store answers", () => {
    expect(shown(play([{ type: "row_hidden", id: "b", at: 3 }], loaded("abc")))).toEqual(["|", "a", "c"]);
  });

  test("puts the row back at its old place when the store refuses", () => {
    const state = play(
      [
        { type: "row_hidden", id: "b", at: 3 },
        { type: "row_kept", id: "b" },
      ],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "a", "b", "c"]);
  });

  test("puts a pinned row back with its pin and its place", () => {
    const before = loaded("abc", [pin("x", 1), pin("y", 2), pin("z", 3)]);
    const state = play(
      [
        { type: "row_hidden", id: "y", at: 3 },
        { type: "row_kept", id: "y" },
      ],
      before,
    );
    expect(shown(state)).toEqual(shown(before));
    expect(state.pinned[1]).toMatchObject({ id: "y", pinned: true, pin_rank: 2 });
  });

  test("comes back at its place by Undo, with the pin the store gave back", () => {
    const before = loaded("abc", [pin("x", 1), pin("y", 2)]);
    const state = play(
      [
        { type: "row_hidden", id: "x", at: 3 },
        { type: "row_gone", id: "x", at: 4 },
        { type: "row_loaded", row: session("x", { archived: true }), at: 5 },
        { type: "pinned_loaded", at: 6, rows: [pin("y", 2)] },
        { type: "row_loaded", row: pin("x", 1), at: 7 },
      ],
      before,
    );
    expect(shown(state)).toEqual(["x", "y", "|", "a", "b", "c"]);
  });
});

describe("a late answer", () => {
  test("of a list asked for before the archive never brings the row back", () => {
    const state = play(
      [
        { type: "load_started", at: 3 },
        { type: "row_hidden", id: "b", at: 4 },
        { type: "row_gone", id: "b", at: 5 },
        { type: "page_loaded", load: 3, rows: rows("abc"), last: true, hidden: 0 },
      ],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "a", "c"]);
  });

  test("of a single row asked for before the delete is dropped", () => {
    const state = play(
      [
        { type: "row_gone", id: "b", at: 5 },
        { type: "row_loaded", row: session("b", { title: "late" }), at: 4 },
      ],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "a", "c"]);
  });

  test("of an older load is not mixed into a newer one", () => {
    const state = play(
      [
        { type: "load_started", at: 3 },
        { type: "load_started", at: 4 },
        { type: "page_loaded", load: 3, rows: rows("xyz"), last: true, hidden: 0 },
      ],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "a", "b", "c"]);
  });

  test("of a list asked for after the row was unarchived elsewhere shows it again", () => {
    const state = play(
      [
        { type: "row_gone", id: "b", at: 3 },
        { type: "load_started", at: 4 },
        { type: "page_loaded", load: 4, rows: rows("abc"), last: true, hidden: 0 },
      ],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "a", "b", "c"]);
  });
});

describe("paging", () => {
  test("merges pages without duplicates and drops what the store no longer has", () => {
    const state = play(
      [
        { type: "load_started", at: 3 },
        { type: "page_loaded", load: 3, rows: rows("ax"), last: false, hidden: 0 },
        { type: "page_loaded", load: 3, rows: rows("xc", 980), last: true, hidden: 0 },
      ],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "a", "x", "c"]);
  });

  test("keeps showing what was known until the last page came", () => {
    const state = play(
      [
        { type: "load_started", at: 3 },
        { type: "page_loaded", load: 3, rows: rows("a"), last: false, hidden: 0 },
      ],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "a", "b", "c"]);
  });

  test("a row that an event brings behind everything loaded waits for its page", () => {
    const started = play([
      { type: "load_started", at: 1 },
      { type: "page_loaded", load: 1, rows: rows("ab"), last: false, hidden: 0 },
      { type: "row_loaded", row: session("z", { last_active: 1 }), at: 2 },
    ]);
    expect(shown(started)).toEqual(["|", "a", "b"]);
  });

  test("a lineage whose tip changed stands once, under its new id", () => {
    const state = play(
      [{ type: "row_loaded", asked: "b", row: session("b2", { last_active: 2000 }), at: 3 }],
      loaded("abc"),
    );
    expect(shown(state)).toEqual(["|", "b2", "a", "c"]);
  });
});

const ids = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const row = fc.record({
  id: ids,
  last_active: fc.integer({ min: 1, max: 9 }),
  pinned: fc.boolean(),
  archived: fc.boolean(),
});
const anyRow = row.map((part) =>
  session(part.id, { ...part, pin_rank: part.pinned ? part.last_active : null }),
);

/** Actions in the order they happen; `at` of an answer is any time up to then. */
const script = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("load_started" as const) }),
    fc.record({
      type: fc.constant("page_loaded" as const),
      rows: fc.uniqueArray(anyRow, { selector: (r) => r.id }),
      last: fc.boolean(),
    }),
    fc.record({
      type: fc.constant("pinned_loaded" as const),
      rows: fc.uniqueArray(anyRow, { selector: (r) => r.id }),
    }),
    fc.record({ type: fc.constant("row_loaded" as const), row: anyRow }),
    fc.record({ type: fc.constant("row_hidden" as const), id: ids }),
    fc.record({ type: fc.constant("row_gone" as const), id: ids }),
    fc.record({ type: fc.constant("row_kept" as const), id: ids }),
  ),
  { maxLength: 40 },
);

function run(steps: typeof script extends fc.Arbitrary<infer T> ? T : never): {
  state: ListState;
  at: number;
} {
  let state = emptyList;
  let at = 0;
  for (const step of steps) {
    at += 1;
    if (step.type === "load_started") state = reduceList(state, { ...step, at });
    else if (step.type === "page_loaded") {
      const page = step.rows.filter((r) => !r.archived).map((r) => ({ ...r, pinned: false }));
      state = reduceList(state, { ...step, rows: page, load: state.loading ?? 0, hidden: 0 });
    } else if (step.type === "pinned_loaded") {
      const pinned = step.rows
        .filter((r) => !r.archived)
        .map((r) => ({ ...r, pinned: true, pin_rank: r.last_active }));
      state = reduceList(state, {
        type: "pinned_loaded",
        rows: pinned.sort((a, b) => a.pin_rank - b.pin_rank),
        at,
      });
    } else state = reduceList(state, { ...step, at } as ListAction);
  }
  return { state, at };
}

describe("whatever happens in whatever order", () => {
  test("no row is shown twice", () => {
    fc.assert(
      fc.property(script, (steps) => {
        const all = shown(run(steps).state).filter((id) => id !== "|");
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  test("a row hidden and refused leaves the list exactly as it was", () => {
    fc.assert(
      fc.property(script, ids, (steps, id) => {
        const { state, at } = run(steps);
        fc.pre(!state.gone.has(id));
        const after = play(
          [
            { type: "row_hidden", id, at: at + 1 },
            { type: "row_kept", id },
          ],
          state,
        );
        expect(shown(after)).toEqual(shown(state));
      }),
    );
  });

  test("a row that is gone is not shown by any answer asked for before it went", () => {
    fc.assert(
      fc.property(script, ids, fc.array(anyRow), (steps, id, late) => {
        const { state, at } = run(steps);
        const load = at + 1;
        let after = play(
          [
            { type: "load_started", at: load },
            { type: "row_gone", id, at: at + 2 },
            { type: "page_loaded", load, rows: [session(id)], last: true, hidden: 0 },
            { type: "pinned_loaded", at: load, rows: [pin(id, 1)] },
          ],
          state,
        );
        for (const other of late)
          after = reduceList(after, { type: "row_loaded", row: { ...other, id }, at: load });
        expect(shown(after)).not.toContain(id);
      }),
    );
  });

  test("the confirmed part never reaches beyond the list", () => {
    fc.assert(
      fc.property(script, (steps) => {
        const { state } = run(steps);
        expect(state.confirmed).toBeGreaterThanOrEqual(0);
        expect(state.confirmed).toBeLessThanOrEqual(state.rest.length);
      }),
    );
  });
});
