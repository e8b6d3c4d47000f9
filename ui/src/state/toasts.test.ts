import { describe, expect, test } from "vitest";
import {
  lifetime,
  MOST_TOASTS,
  PLAIN_MS,
  reduceToasts,
  UNDO_MS,
  type Toast,
  type ToastAction,
} from "./toasts";
import { MOST_UNDO, pushUndo, takeUndo, type UndoEntry } from "./undo";

const archived = (id: number): ToastAction => ({
  type: "shown",
  toast: { id, kind: "archived", title: "Archived", detail: `s${id}`, undo: [id], retry: null },
});
const failed = (id: number, detail: string): ToastAction => ({
  type: "shown",
  toast: { id, kind: "failed", title: "Pin failed", detail, undo: [], retry: null },
});
const play = (actions: ToastAction[]) => actions.reduce<readonly Toast[]>(reduceToasts, []);

describe("toasts", () => {
  test("a notice stays until it is closed, and the oldest of the others gives way to it", () => {
    const notice = (id: number): ToastAction => ({
      type: "shown",
      toast: { id, kind: "notice", title: `Notice ${id}`, detail: "", undo: [], retry: null },
    });
    const list = play([notice(1), failed(2, "a"), failed(3, "b"), failed(4, "c")]);
    expect(list.map((toast) => toast.id)).toEqual([1, 3, 4]);
    expect(lifetime(list[0]!)).toBeNull();
    expect(play([notice(1), notice(2), notice(3), notice(4)]).map((toast) => toast.id)).toEqual([2, 3, 4]);
  });

  test("repeats fold into one that counts and takes all of them back", () => {
    expect(play([archived(1), archived(2), archived(3)])).toMatchObject([
      { count: 3, undo: [1, 2, 3], renewed: 2 },
    ]);
  });

  test("one that stands for many counts them, folds with the next and loses them when they are taken back", () => {
    const many: ToastAction = {
      type: "shown",
      toast: { id: 9, kind: "archived", title: "Archived", detail: "", undo: [9], retry: null, count: 12 },
    };
    expect(play([many])).toMatchObject([{ count: 12 }]);
    expect(play([many, archived(10)])).toMatchObject([{ count: 13, undo: [9, 10] }]);
    expect(play([many, archived(10), { type: "undone", entry: 9 }])).toMatchObject([
      { count: 1, undo: [10] },
    ]);
  });

  test("failures that fold are all tried again", () => {
    const tried: number[] = [];
    const refused = (id: number): ToastAction => ({
      type: "shown",
      toast: {
        id,
        kind: "unarchive_failed",
        title: "Unarchive failed",
        detail: "The disk is full.",
        undo: [],
        retry: () => void tried.push(id),
      },
    });
    const [toast] = play([refused(1), refused(2)]);
    toast?.retry?.();
    expect(tried).toEqual([1, 2]);
  });

  test("failures with other words stand apart", () => {
    expect(
      play([failed(1, "The disk is full."), failed(2, "Read only."), failed(3, "Read only.")]),
    ).toMatchObject([
      { detail: "The disk is full.", count: 1 },
      { detail: "Read only.", count: 2 },
    ]);
  });

  test("at most three stand, the newest last", () => {
    const toasts = play([failed(1, "a"), failed(2, "b"), failed(3, "c"), failed(4, "d")]);
    expect(toasts).toHaveLength(MOST_TOASTS);
    expect(toasts.at(-1)?.detail).toBe("d");
  });

  test("one that was undone by the key counts one less, the last one leaves", () => {
    const two = play([archived(1), archived(2)]);
    const one = reduceToasts(two, { type: "undone", entry: 2 });
    expect(one).toMatchObject([{ count: 1, undo: [1] }]);
    expect(reduceToasts(one, { type: "undone", entry: 1 })).toEqual([]);
  });

  test("an Undo lives 10 s, plain news 4 s, failures until closed", () => {
    const [undoable] = play([archived(1)]);
    const [failure] = play([failed(1, "a")]);
    expect(lifetime(undoable!)).toBe(UNDO_MS);
    expect(lifetime(failure!)).toBeNull();
    expect(lifetime({ ...undoable!, undo: [] })).toBe(PLAIN_MS);
  });
});

describe("the undo stack", () => {
  const entry = (id: number): UndoEntry => ({ id, run: async () => {} });

  test("keeps the last 20 actions and gives the newest first", () => {
    let stack: readonly UndoEntry[] = [];
    for (let id = 1; id <= 25; id++) stack = pushUndo(stack, entry(id));
    expect(stack).toHaveLength(MOST_UNDO);
    expect(takeUndo(stack).entry?.id).toBe(25);
    expect(takeUndo(stack, 5).entry).toBeUndefined();
  });

  test("takes one out of the middle once", () => {
    const stack = [entry(1), entry(2), entry(3)];
    const taken = takeUndo(stack, 2);
    expect(taken.stack.map((other) => other.id)).toEqual([1, 3]);
    expect(takeUndo(taken.stack, 2).entry).toBeUndefined();
  });
});
