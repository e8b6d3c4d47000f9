import { describe, expect, test, vi } from "vitest";
import type { ExportStatus } from "../ipc";
import { FakeHost, refusal } from "../test/fake";
import { SessionExport } from "./export.svelte";

const SESSION = { id: "s1", title: "Notes" };
const running = (done: number): ExportStatus => ({ state: "running", progress: { done, total: 200 } });
const done = (skipped: string[] = []): ExportStatus => ({
  state: "done",
  report: { path: "/home/ada/Documents/Notes.md", sessions: 1, messages: 200, bytes: 9_000, skipped },
});

function setUp(answer: ExportStatus) {
  const host = new FakeHost();
  host.exportStatus = answer;
  const told = vi.fn();
  return { host, told, run: new SessionExport(host, told) };
}

describe("an export", () => {
  test("that was closed in the system's dialog is nothing", async () => {
    const { host, told, run } = setUp({ state: "idle" });
    await run.start(SESSION, "markdown");
    expect(host.calls).toEqual([{ name: "export_start", request: { id: "s1", format: "markdown" } }]);
    expect([run.running, told.mock.calls]).toEqual([false, []]);
  });

  test("says how far it is, and where the file lies in the end", async () => {
    const { host, told, run } = setUp(running(0));
    await run.start(SESSION, "json");
    await run.changed(running(50));
    expect([run.running, run.percent, run.words]).toEqual([true, 25, "50 of 200 messages"]);
    host.exportStatus = done();
    await run.changed(host.exportStatus);
    expect(run.running).toBe(false);
    expect(told.mock.calls).toEqual([
      [{ kind: "done", title: "Exported to Notes.md", detail: "/home/ada/Documents/Notes.md" }],
    ]);
  });

  test("of everything names what could not be read", async () => {
    const { host, told, run } = setUp(running(0));
    await run.start({ id: null, title: "" }, "jsonl");
    expect(host.calls.at(-1)?.request).toEqual({ format: "jsonl" });
    expect(run.words).toBe("0 of 200 sessions");
    host.exportStatus = done(["A", "B", "C", "D"]);
    await run.changed({ state: "done", report: { ...doneReport(), skipped: [] } });
    expect(told.mock.lastCall?.[0]).toEqual({
      kind: "failed",
      title: "Not everything was exported",
      detail: "4 sessions could not be read: A; B; C and more. The rest is in /home/ada/Documents/Notes.md.",
    });
  });

  test("that was cancelled says so, and one that failed says why and is offered again", async () => {
    const { host, told, run } = setUp(running(3));
    await run.start(SESSION, "json");
    await run.cancel();
    expect([run.running, told.mock.lastCall?.[0].title]).toEqual([false, "Export cancelled"]);
    host.refuse.set("export_start", refusal("disk_full", "The disk is full."));
    await run.start(SESSION, "json");
    expect(told.mock.lastCall?.[0]).toMatchObject({ title: "Export failed", detail: "The disk is full." });
    host.exportStatus = running(0);
    told.mock.lastCall?.[0].retry();
    await vi.waitFor(() => expect(run.running).toBe(true));
    await run.changed({ state: "failed", error: refusal("disk_full", "The disk is full.") });
    expect(told).toHaveBeenCalledTimes(3);
  });

  test("runs once at a time, and is found again by a page that was loaded anew", async () => {
    const { host, run } = setUp(running(8));
    await run.look();
    expect([run.running, run.words]).toEqual([true, "8 of 200"]);
    await run.start(SESSION, "json");
    expect(host.calls.map((call) => call.name)).toEqual(["export_status"]);
  });

  test("that ended before the page was loaded is old news", async () => {
    const { told, run } = setUp(done());
    await run.look();
    expect(told).not.toHaveBeenCalled();
  });
});

function doneReport() {
  const status = done();
  if (status.state !== "done") throw new Error("not done");
  return status.report;
}
