import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createHighlight,
  MAX_HIGHLIGHT,
  type HighlightAnswer,
  type HighlightRequest,
  type WorkerLike,
} from "./highlight";
import { languageId, languageLabel } from "./languages";

class FakeWorker implements WorkerLike {
  static all: FakeWorker[] = [];
  asked: HighlightRequest[] = [];
  ended = false;
  onmessage: ((event: MessageEvent<HighlightAnswer>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  constructor() {
    FakeWorker.all.push(this);
  }
  postMessage(message: HighlightRequest) {
    this.asked.push(message);
  }
  terminate() {
    this.ended = true;
  }
  answer() {
    const { id, code } = this.asked.at(-1) ?? { id: 0, code: "" };
    this.onmessage?.(new MessageEvent("message", { data: { id, lines: [[[code, 1]]] } }));
  }
}

const only = () => FakeWorker.all[0] as FakeWorker;

beforeEach(() => {
  FakeWorker.all = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("colouring", () => {
  it("asks one worker, one block at a time, and remembers answers", async () => {
    const highlight = createHighlight(() => new FakeWorker());
    const [a, b] = [highlight("rust", "a"), highlight("rust", "b")];
    await vi.advanceTimersByTimeAsync(0);
    expect(only().asked.map((request) => request.code)).toEqual(["a"]);
    only().answer();
    expect(await a).toEqual([[["a", 1]]]);
    await vi.advanceTimersByTimeAsync(0);
    only().answer();
    expect(await b).toEqual([[["b", 1]]]);
    expect(await highlight("rust", "a")).toEqual([[["a", 1]]]);
    expect(only().asked).toHaveLength(2);
    expect(FakeWorker.all).toHaveLength(1);
  });

  it("ends a worker that runs away and starts another for the next block", async () => {
    const highlight = createHighlight(() => new FakeWorker());
    const stuck = highlight("rust", "a");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await stuck).toBeNull();
    expect(only().ended).toBe(true);
    const next = highlight("rust", "b");
    await vi.advanceTimersByTimeAsync(0);
    FakeWorker.all[1]?.answer();
    expect(await next).toEqual([[["b", 1]]]);
  });

  it("leaves very long code and a page without workers plain", async () => {
    const none = createHighlight(() => {
      throw new Error("no workers here");
    });
    expect(await none("rust", "a")).toBeNull();
    expect(await createHighlight(() => new FakeWorker())("rust", "x".repeat(MAX_HIGHLIGHT + 1))).toBeNull();
    expect(FakeWorker.all).toHaveLength(0);
  });
});

describe("languages", () => {
  it.each([
    ["rs", "rust", "Rust"],
    ["TS", "typescript", "TypeScript"],
    ["c++", "cpp", "C++"],
    ["shell", "bash", "Bash"],
  ])("%s is %s", (word, id, label) => {
    expect(languageId(word)).toBe(id);
    expect(languageLabel(word)).toBe(label);
  });

  it("unknown ones keep their word and get no colours", () => {
    expect(languageId("brainf")).toBeNull();
    expect(languageId("constructor")).toBeNull();
    expect(languageLabel("brainf")).toBe("brainf");
  });
});
