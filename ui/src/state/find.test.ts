import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { MessageRow } from "../ipc";
import { FakeHost } from "../test/fake";
import { ConversationFind, hitAbove, positionWords } from "./find.svelte";

const rows = (texts: string[]) =>
  texts.map((text, index) => ({ id: `m${index}`, index, text }) as MessageRow);
const TEXTS = ["red", "blue", "red and blue", "green", "RED"];

function setUp(texts: Record<string, string[]> = { a: TEXTS, b: ["blue"] }) {
  const host = new FakeHost({ messages: (id) => rows(texts[id] ?? []) });
  const find = new ConversationFind(host);
  find.follow("a", "1");
  find.show();
  return { host, find };
}

async function typed(find: ConversationFind, words: string): Promise<void> {
  find.type(words);
  await vi.advanceTimersByTimeAsync(120);
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("find in conversation", () => {
  test("starts at the newest hit at or above the view, and goes round from there", async () => {
    const { find } = setUp();
    find.lastInView = () => 3;
    await typed(find, "red");
    expect(find.current).toEqual({ message_id: "m2", index: 2 });
    expect(find.words).toBe("Message 2 of 3");
    find.step(1);
    expect([find.current?.message_id, find.words]).toEqual(["m4", "Message 3 of 3"]);
    find.step(1);
    expect([find.current?.message_id, find.words]).toEqual(["m0", "Message 1 of 3"]);
    find.step(-1);
    expect(find.current?.message_id).toBe("m4");
  });

  test("asks 120 ms after the last letter, or at once on Enter", async () => {
    const { host, find } = setUp();
    find.type("r");
    await vi.advanceTimersByTimeAsync(100);
    find.type("re");
    await vi.advanceTimersByTimeAsync(119);
    expect(host.calls).toEqual([]);
    find.step(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(host.calls.map((call) => call.request)).toEqual([{ session_id: "a", query: "re" }]);
    expect(find.words).toBe("Message 4 of 4");
    await vi.advanceTimersByTimeAsync(500);
    expect(host.calls).toHaveLength(1);
  });

  test("drops the answer to words that were changed meanwhile", async () => {
    const { host, find } = setUp();
    host.hold.add("message_find");
    await typed(find, "green");
    await typed(find, "red");
    host.release("message_find");
    await vi.advanceTimersByTimeAsync(0);
    expect(find.current).toBeNull();
    host.release("message_find");
    await vi.advanceTimersByTimeAsync(0);
    expect(find.words).toBe("Message 3 of 3");
  });

  test("stays at its message while more letters still find it", async () => {
    const { find } = setUp();
    await typed(find, "re");
    find.step(-1);
    find.step(-1);
    const held = find.current;
    expect(held?.message_id).toBe("m2");
    await typed(find, "red");
    expect(find.current).toBe(held);
    expect(find.words).toBe("Message 2 of 3");
  });

  test("follows the open session with the same words, and takes nobody away", async () => {
    const { find } = setUp();
    await typed(find, "blue");
    find.follow("b", "1");
    await vi.advanceTimersByTimeAsync(0);
    expect([find.query, find.words, find.current]).toEqual(["blue", "1 message", null]);
    find.step(-1);
    expect([find.words, find.current?.message_id]).toEqual(["Message 1 of 1", "m0"]);
    find.follow(null, "");
    expect(find.open).toBe(false);
  });

  test("keeps its words when it is closed, and its place when rows come", async () => {
    const texts = { a: [...TEXTS] };
    const { find } = setUp(texts);
    await typed(find, "blue");
    expect(find.words).toBe("Message 2 of 2");
    texts.a.push("blue again");
    find.follow("a", "2");
    await vi.advanceTimersByTimeAsync(0);
    expect([find.words, find.current?.message_id]).toEqual(["Message 2 of 3", "m2"]);
    find.close();
    find.show();
    await vi.advanceTimersByTimeAsync(0);
    expect([find.query, find.words]).toEqual(["blue", "3 messages"]);
  });

  test("says in words that nothing was found, that it failed, and that nothing is looked for", async () => {
    const { host, find } = setUp();
    expect(find.words).toBe("");
    await typed(find, "zeppelin");
    expect([find.words, find.canStep]).toEqual(["No match", false]);
    find.step(1);
    expect(find.current).toBeNull();
    host.refuse.set("message_find", { code: "busy", message: "The store is busy.", retryable: true });
    await typed(find, "red");
    expect([find.words, find.failed]).toEqual(["Not searched. The store is busy.", true]);
    find.type("");
    expect([find.words, find.failed]).toEqual(["", false]);
  });
});

test("places are counted in words, up to 1,000+", () => {
  expect(positionWords(2, { n: 17, more: false })).toBe("Message 3 of 17");
  expect(positionWords(999, { n: 1000, more: true })).toBe("Message 1,000 of 1,000+");
  expect(positionWords(-1, { n: 1, more: false })).toBe("1 message");
  expect(positionWords(-1, { n: 0, more: false })).toBe("No match");
});

test("above all hits the oldest is taken", () => {
  const hits = [4, 9].map((index) => ({ message_id: `m${index}`, index }));
  expect([3, 4, 8, 9, 99].map((index) => hitAbove(hits, index))).toEqual([0, 0, 0, 1, 1]);
  expect(hitAbove([], 3)).toBe(-1);
});
