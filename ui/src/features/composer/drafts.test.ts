import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDrafts, WRITE_AFTER_MS, type DraftKey, type DraftPort } from "./drafts";

interface Call {
  what: string;
  end: (value?: string) => void;
  fail: () => void;
}

function setUp(answer: "at once" | "by hand" = "at once") {
  const stored = new Map<DraftKey, string>();
  const calls: Call[] = [];
  const shown: string[] = [];
  const failures: boolean[] = [];
  const log: string[] = [];
  const wait = (what: string) => {
    log.push(what);
    return new Promise<string | undefined>((resolve, reject) => {
      calls.push({ what, end: resolve, fail: () => reject(new Error("disk full")) });
      if (answer === "at once") resolve(undefined);
    });
  };
  const port: DraftPort = {
    read: async (key) => (await wait(`read ${key}`)) ?? stored.get(key) ?? "",
    write: async (key, text, folder) => {
      await wait(`write ${key}: ${text}${folder === null ? "" : ` in ${folder}`}`);
      stored.set(key, text);
    },
  };
  const drafts = createDrafts(port, {
    show: (text) => shown.push(text),
    failed: (failed) => failures.push(failed),
  });
  return { drafts, stored, calls, shown, failures, log, settle: () => vi.advanceTimersByTimeAsync(0) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("drafts", () => {
  it("show what is stored for the session", async () => {
    const { drafts, stored, shown, settle } = setUp();
    stored.set("a", "kept");
    drafts.open("a", null);
    await settle();
    expect(shown).toEqual(["", "kept"]);
  });

  it("are written within 500 ms of the first keystroke, also when typing never pauses", async () => {
    const { drafts, stored, settle } = setUp();
    drafts.open("a", null);
    await settle();
    for (let i = 1; i <= 10; i++) {
      drafts.typed("x".repeat(i));
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(WRITE_AFTER_MS).toBeLessThan(500);
    expect(stored.get("a")?.length).toBeGreaterThanOrEqual(5);
    await vi.advanceTimersByTimeAsync(500);
    expect(stored.get("a")).toBe("xxxxxxxxxx");
  });

  it("are written at once when another session opens, into their own session", async () => {
    const { drafts, stored, shown, log, settle } = setUp();
    drafts.open("a", null);
    await settle();
    drafts.typed("mine");
    drafts.open("b", null);
    expect(shown.at(-1)).toBe("");
    await settle();
    expect(log).toContain("write a: mine");
    expect(stored.get("b")).toBeUndefined();
    expect(shown.at(-1)).toBe("");
  });

  it("are read only after their own writes are through", async () => {
    const { drafts, calls, shown, log, settle } = setUp("by hand");
    drafts.open("a", null);
    await settle();
    calls[0]?.end("");
    await settle();
    drafts.typed("new");
    drafts.open("b", null);
    drafts.open("a", null);
    await settle();
    expect(log).toEqual(["read a", "write a: new", "read b"]);
    calls[1]?.end();
    await settle();
    expect(log.at(-1)).toBe("read a");
    calls[3]?.end();
    await settle();
    expect(shown.at(-1)).toBe("new");
  });

  it("that come late are never shown in another session", async () => {
    const { drafts, calls, shown, settle } = setUp("by hand");
    drafts.open("a", null);
    await settle();
    drafts.open("b", null);
    await settle();
    calls[0]?.end("of a");
    await settle();
    calls[1]?.end("of b");
    await settle();
    expect(shown).toEqual(["", "", "of b"]);
  });

  it("never replace what was typed while they were read", async () => {
    const { drafts, calls, shown, settle } = setUp("by hand");
    drafts.open("a", null);
    await settle();
    drafts.typed("typed");
    calls[0]?.end("stored");
    await settle();
    expect(shown).toEqual([""]);
  });

  it("land in the order they were typed", async () => {
    const { drafts, stored, calls, log, settle } = setUp("by hand");
    drafts.open("a", null);
    await settle();
    calls[0]?.end("");
    await settle();
    drafts.typed("1");
    await vi.advanceTimersByTimeAsync(WRITE_AFTER_MS);
    drafts.typed("2");
    await vi.advanceTimersByTimeAsync(WRITE_AFTER_MS);
    expect(log).toEqual(["read a", "write a: 1"]);
    calls[1]?.end();
    await settle();
    calls[2]?.end();
    await settle();
    expect(stored.get("a")).toBe("2");
  });

  it("that could not be written say so, stay, and are written with the next try", async () => {
    const { drafts, stored, calls, failures, settle } = setUp("by hand");
    drafts.open("a", null);
    await settle();
    calls[0]?.end("");
    await settle();
    drafts.typed("kept");
    await vi.advanceTimersByTimeAsync(WRITE_AFTER_MS);
    calls[1]?.fail();
    await settle();
    expect(failures.at(-1)).toBe(true);
    const flushed = drafts.flush();
    await settle();
    calls[2]?.end();
    await flushed;
    expect(stored.get("a")).toBe("kept");
    expect(failures.at(-1)).toBe(false);
  });

  it("of the unsaved session carry their folder, also when it changes under the text", async () => {
    const { drafts, log, settle } = setUp();
    drafts.open(null, "/a");
    await settle();
    drafts.typed("x");
    await vi.advanceTimersByTimeAsync(WRITE_AFTER_MS);
    drafts.open(null, "/b");
    await vi.advanceTimersByTimeAsync(WRITE_AFTER_MS);
    expect(log).toEqual(["read null", "write null: x in /a", "write null: x in /b"]);
  });

  it("emptied are removed", async () => {
    const { drafts, stored, settle } = setUp();
    stored.set("a", "old");
    drafts.open("a", null);
    await settle();
    drafts.typed("");
    await drafts.flush();
    expect(stored.get("a")).toBe("");
  });

  it("follow a session that was stored: the unsaved one's goes, what was written since is the session's", async () => {
    const { drafts, stored, shown, settle } = setUp();
    drafts.open(null, "/w");
    await settle();
    drafts.typed("first");
    await vi.advanceTimersByTimeAsync(500);
    expect(stored.get(null)).toBe("first");
    drafts.typed("since");
    const before = shown.length;
    drafts.follow("new");
    drafts.open("new", null);
    await vi.advanceTimersByTimeAsync(500);
    expect(stored.get(null)).toBe("");
    expect(stored.get("new")).toBe("since");
    expect(shown).toHaveLength(before);
  });
});
