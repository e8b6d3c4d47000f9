import { describe, expect, it, vi } from "vitest";
import { fakeChat, ipcError } from "../dev/fake-chat";
import { NO_SAVES, reduceSaves, type SaveAction } from "./saves";
import { MediaSaves } from "./saves.svelte";

const after = (...actions: SaveAction[]) => actions.reduce(reduceSaves, NO_SAVES);
const running = (done: number) => ({ state: "running", done, total: 10 }) as const;

describe("a copy on its way", () => {
  it("runs once its id is known, and ends", () => {
    const asked: SaveAction = { type: "asked", key: "k" };
    const answered: SaveAction = { type: "answered", key: "k", id: "1" };
    expect(after(asked).saves.get("k")).toEqual({ state: "asking" });
    expect(after(asked, answered).saves.get("k")).toEqual({ state: "running", id: "1", done: 0, total: 0 });
    const moved: SaveAction = { type: "changed", id: "1", status: running(4) };
    expect(after(asked, answered, moved).saves.get("k")).toEqual({
      state: "running",
      id: "1",
      done: 4,
      total: 10,
    });
    const done: SaveAction = { type: "changed", id: "1", status: { state: "done", path: "/b" } };
    expect(after(asked, answered, moved, done).saves.get("k")).toEqual({
      state: "done",
      id: "1",
      path: "/b",
    });
    const closed: SaveAction = { type: "closed", key: "k" };
    expect(after(asked, answered, done, closed).saves.size).toBe(0);
  });

  it("that ended before its answer came is known by its answer", () => {
    const state = after(
      { type: "asked", key: "k" },
      { type: "changed", id: "1", status: running(1) },
      { type: "changed", id: "1", status: { state: "done", path: "/b" } },
      { type: "answered", key: "k", id: "1" },
    );
    expect(state.saves.get("k")).toEqual({ state: "done", id: "1", path: "/b" });
    expect(state.early.size).toBe(0);
  });

  it("leaves nothing when the dialog was closed or the copy cancelled", () => {
    expect(after({ type: "asked", key: "k" }, { type: "answered", key: "k", id: null }).saves.size).toBe(0);
    const cancelled = after(
      { type: "asked", key: "k" },
      { type: "answered", key: "k", id: "1" },
      { type: "changed", id: "1", status: { state: "cancelled" } },
    );
    expect(cancelled.saves.size).toBe(0);
  });

  it("of a page before this one is nobody's", () => {
    expect(after({ type: "changed", id: "9", status: running(1) })).toBe(NO_SAVES);
  });

  it("says in words why it failed", () => {
    const error = ipcError("internal", "The disk is full.");
    const state = after(
      { type: "asked", key: "k" },
      { type: "answered", key: "k", id: "1" },
      { type: "changed", id: "1", status: { state: "failed", error } },
    );
    expect(state.saves.get("k")).toEqual({ state: "failed", message: "The disk is full." });
  });
});

describe("the copies of a window", () => {
  const file = { sessionId: "s", path: "/a.mp4" };

  function begin() {
    const platform = fakeChat([]);
    platform.saveId = "1";
    let toasts = 0;
    const tell = vi.fn(() => ++toasts);
    const closeToast = vi.fn();
    return { platform, tell, closeToast, saves: new MediaSaves(platform, { toast: tell, closeToast }) };
  }

  it("asks for one at a time", async () => {
    const { platform, saves } = begin();
    const first = saves.start(file);
    await saves.start(file);
    await first;
    await saves.start(file);
    expect(platform.calls.map((call) => call.name)).toEqual(["media_save"]);
  });

  it("tells by a toast how one ended that no card shows, and only then", async () => {
    const { tell, saves } = begin();
    await saves.start(file);
    saves.changed("1", { state: "done", path: "/home/u/copy.mp4" });
    expect(tell).toHaveBeenCalledWith({
      kind: "done",
      title: "Saved as copy.mp4",
      detail: "/home/u/copy.mp4",
    });
    tell.mockClear();
    const hide = saves.show(file);
    await saves.start(file);
    saves.changed("1", { state: "done", path: "/home/u/copy.mp4" });
    expect(tell).not.toHaveBeenCalled();
    hide();
    saves.changed("1", { state: "failed", error: ipcError("internal", "The disk is full.") });
    expect(tell).toHaveBeenCalledWith({
      kind: "failed",
      title: "a.mp4 not saved",
      detail: "The disk is full.",
    });
  });

  it("is told once by its card, however it ends and whenever its answer comes", async () => {
    const { platform, tell, saves } = begin();
    const full = { state: "failed", error: ipcError("internal", "The disk is full.") } as const;
    saves.show(file);
    await saves.start(file);
    saves.changed("1", full);
    expect(saves.of(file)).toEqual({ state: "failed", message: "The disk is full." });
    platform.saveId = "2";
    const started = saves.start(file);
    saves.changed("2", full);
    await started;
    expect(saves.of(file)).toEqual({ state: "failed", message: "The disk is full." });
    expect(tell).not.toHaveBeenCalled();
  });

  it("that failed unseen is told no longer once the file is saved, seen or not", async () => {
    const { platform, closeToast, saves } = begin();
    const full = { state: "failed", error: ipcError("internal", "The disk is full.") } as const;
    const other = { sessionId: "s", path: "/b.mp4" };
    for (const [what, id] of [
      [other, "0"],
      [file, "1"],
      [file, "2"],
    ] as const) {
      platform.saveId = id;
      await saves.start(what);
      saves.changed(id, full);
    }
    platform.saveId = "3";
    saves.show(file);
    await saves.start(file);
    expect(closeToast).not.toHaveBeenCalled();
    saves.changed("3", { state: "done", path: "/home/u/copy.mp4" });
    expect(closeToast.mock.calls).toEqual([[2], [3]]);
  });

  it("cancels by its id", async () => {
    const { platform, saves } = begin();
    await saves.cancel(file);
    await saves.start(file);
    await saves.cancel(file);
    expect(platform.calls.at(-1)).toEqual({ name: "save_cancel", request: { id: "1" } });
    saves.changed("1", { state: "cancelled" });
    expect(saves.of(file)).toBeNull();
  });
});
