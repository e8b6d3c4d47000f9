import { describe, expect, it } from "vitest";
import type { MessageRow } from "../../ipc/generated/MessageRow";
import { messageRow, sessionRow } from "../../dev/fake-chat";
import { shapeOf, unansweredCalls } from "./calls";
import { lastCaller } from "./last";
import { createRows, MAX_KEPT, nextPage, PAGE } from "./rows";

const page = (from: number, to: number, total: number, change: Partial<MessageRow> = {}) => ({
  session: sessionRow(),
  total,
  messages: Array.from({ length: to - from }, (_, i) => messageRow(from + i, change)),
});

describe("rows that are here", () => {
  it("are found by index and by message", () => {
    const rows = createRows();
    rows.take(page(900, 1000, 1000));
    expect(rows.total).toBe(1000);
    expect(rows.row(950)?.id).toBe("m950");
    expect(rows.indexOf("m950")).toBe(950);
    expect(rows.row(10)).toBeUndefined();
  });

  it("are dropped when a page shows that the transcript was rewritten", () => {
    const rows = createRows();
    rows.take(page(0, 100, 100));
    const { restarted } = rows.take(page(50, 60, 100, { id: "other" }));
    expect(restarted).toBe(true);
    expect(rows.row(10)).toBeUndefined();
    expect(rows.take(page(0, 50, 50)).restarted).toBe(true);
  });

  it("far from the reader are forgotten when there are too many", () => {
    const rows = createRows();
    rows.take(page(0, MAX_KEPT + 500, 10_000));
    rows.trim(3_400);
    expect(rows.row(3_400)).toBeDefined();
    expect(rows.row(0)).toBeUndefined();
    expect(rows.indexOf("m0")).toBeUndefined();
  });
});

describe("the next page", () => {
  const rows = createRows();
  rows.take(page(900, 1000, 1000));

  it("is none while all around the reader is here", () => {
    expect(nextPage(rows, { first: 960, last: 999 }, 40)).toBeNull();
  });

  it("ends where the known rows begin when reading upwards", () => {
    expect(nextPage(rows, { first: 930, last: 960 }, 40)).toEqual({ index: 800, limit: PAGE });
    expect(nextPage(rows, { first: 890, last: 920 }, 40)).toEqual({ index: 800, limit: PAGE });
  });

  it("covers a far place at once, and is short at the beginning", () => {
    expect(nextPage(rows, { first: 400, last: 420 }, 40)).toEqual({ index: 321, limit: PAGE });
    expect(nextPage(rows, { first: 0, last: 20 }, 40)).toEqual({ index: 0, limit: PAGE });
  });

  it("goes on downwards behind what is here", () => {
    const some = createRows();
    some.take(page(0, 100, 1000));
    expect(nextPage(some, { first: 70, last: 90 }, 40)).toEqual({ index: 100, limit: PAGE });
  });

  it("is none of an empty transcript", () =>
    expect(nextPage(createRows(), { first: 0, last: -1 }, 40)).toBeNull());
});

describe("calls without a result", () => {
  const call = (id: string, name = "terminal") => ({ id, name, arguments: "{}" });
  const result = (call_id: string | null, name = "terminal"): Partial<MessageRow> => ({
    role: "tool",
    tool: { call_id, name, arguments: null, state: "done", duration_ms: null, change: null },
  });
  const source = (changes: (Partial<MessageRow> | undefined)[]) => ({
    total: changes.length,
    row: (index: number) => {
      const change = changes[index];
      return change === undefined ? undefined : messageRow(index, change);
    },
  });
  const assistant = (...ids: string[]): Partial<MessageRow> => ({
    role: "assistant",
    text: "",
    tool_calls: ids.map((id) => call(id)),
  });

  it("are those that no following tool row answers", () => {
    const rows = source([assistant("a", "b"), result("a"), { role: "user" }]);
    expect(unansweredCalls(rows, 0).map((open) => open.id)).toEqual(["b"]);
  });

  it("match by name when the result carries no id, each result once", () => {
    const rows = source([assistant("a", "b"), result(null), { role: "user" }]);
    expect(unansweredCalls(rows, 0).map((open) => open.id)).toEqual(["b"]);
  });

  it("are not claimed while the rows behind are unread", () => {
    expect(unansweredCalls(source([assistant("a"), undefined]), 0)).toEqual([]);
    expect(unansweredCalls(source([assistant("a")]), 0)).toHaveLength(1);
  });

  it("may still get one when nothing but results stands below their answer", () => {
    expect(lastCaller(source([{ role: "user" }, assistant("a", "b"), result("a")]))).toBe("m1");
    expect(lastCaller(source([assistant("a"), { role: "user" }]))).toBeNull();
    expect(lastCaller(source([assistant("a"), undefined]))).toBeNull();
    expect(lastCaller(source([{ role: "assistant", text: "Done." }]))).toBeNull();
  });

  it("a row that only carried answered calls is not shown, and its neighbours form one box", () => {
    const rows = source([assistant("a"), result("a"), assistant("b"), result("b"), { role: "user" }]);
    expect(shapeOf(rows, 0).blank).toBe(true);
    expect(shapeOf(rows, 2).blank).toBe(true);
    expect(shapeOf(rows, 1)).toMatchObject({ joinsAbove: false, joinsBelow: true });
    expect(shapeOf(rows, 3)).toMatchObject({ joinsAbove: true, joinsBelow: false });
  });

  it("words between two results part the box", () => {
    const rows = source([result("a"), { role: "assistant", text: "so" }, result("b")]);
    expect(shapeOf(rows, 0).joinsBelow).toBe(false);
    expect(shapeOf(rows, 2).joinsAbove).toBe(false);
  });

  it("open calls under words join the results that follow", () => {
    const rows = source([{ ...assistant("a", "b"), text: "words" }, result("a")]);
    expect(shapeOf(rows, 0)).toMatchObject({ blank: false, joinsAbove: false, joinsBelow: true });
    expect(shapeOf(rows, 1).joinsAbove).toBe(true);
  });
});
