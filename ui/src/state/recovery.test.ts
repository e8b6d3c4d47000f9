import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecoveryStatus } from "../ipc";
import { FakeHost, refusal } from "../test/fake";
import { recoveryReport } from "../test/sample-trouble";
import { follow, minutesFor, StoreRecovery, type Pace } from "./recovery.svelte";

const running = (table: string, done: number, total: number): RecoveryStatus => ({
  state: "running",
  progress: { table, done, total },
});

describe("the time a recovery takes", () => {
  test("is told by the size, and a longer file never takes less", () => {
    expect([1, 99_000_000, 100_000_000, 700_000_000, 1_400_000_000].map(minutesFor)).toEqual([0, 0, 1, 1, 2]);
    fc.assert(fc.property(fc.nat(5e9), fc.nat(5e9), (a, b) => a <= b || minutesFor(a) >= minutesFor(b)));
  });

  test("left for a table is what its own pace says, and nothing before that can be trusted", () => {
    const first = follow(null, { table: "messages", done: 100, total: 1_100 }, 0);
    expect(first.rest).toBeNull();
    expect(follow(first.pace, { table: "messages", done: 200, total: 1_100 }, 1_000).rest).toBeNull();
    expect(follow(first.pace, { table: "messages", done: 600, total: 1_100 }, 5_000).rest).toBe(5_000);
    expect(follow(first.pace, { table: "drafts", done: 600, total: 1_100 }, 5_000).rest).toBeNull();
  });

  test("is never below nothing and never unending, whatever is reported", () => {
    const report = fc.record({
      table: fc.constantFrom("sessions", "messages"),
      done: fc.nat(10_000),
      total: fc.nat(10_000),
      after: fc.nat(10_000),
    });
    fc.assert(
      fc.property(fc.array(report, { maxLength: 30 }), (reports) => {
        let pace: Pace | null = null;
        let now = 0;
        for (const { after, ...progress } of reports) {
          now += after;
          const step = follow(pace, progress, now);
          pace = step.pace;
          expect(step.rest === null || (step.rest >= 0 && Number.isFinite(step.rest))).toBe(true);
        }
      }),
    );
  });
});

describe("a recovery", () => {
  test("has the window from its start until its end was read", async () => {
    const host = new FakeHost();
    const recovery = new StoreRecovery(host);
    recovery.ask();
    await recovery.start();
    expect([recovery.asking, recovery.shown, recovery.status.state]).toEqual([false, true, "running"]);
    await recovery.changed(running("messages", 50, 200));
    expect(recovery.percent).toBe(25);
    host.recoveryStatus = { state: "done", report: recoveryReport };
    // The event comes without the report.
    await recovery.changed({ state: "done", report: { ...recoveryReport, tables: [] } });
    expect(recovery.status).toEqual(host.recoveryStatus);
    expect(recovery.shown).toBe(true);
    recovery.leave();
    expect([recovery.shown, recovery.status.state]).toEqual([false, "idle"]);
  });

  test("that ended before its start was answered stays ended", async () => {
    const host = new FakeHost();
    const recovery = new StoreRecovery(host);
    host.hold.add("recovery_start");
    const started = recovery.start();
    await Promise.resolve();
    await recovery.changed({ state: "failed", error: refusal("disk_full", "The disk is full.") });
    host.release("recovery_start");
    await started;
    expect(recovery.status.state).toBe("failed");
  });

  test("that is cancelled gives the window back", async () => {
    const host = new FakeHost();
    const recovery = new StoreRecovery(host);
    await recovery.start();
    await recovery.cancel();
    expect([recovery.shown, recovery.status.state]).toEqual([false, "idle"]);
  });

  test("that cannot start says why and can be tried again", async () => {
    const host = new FakeHost();
    host.refuse.set("recovery_start", refusal("busy", "An import runs."));
    const recovery = new StoreRecovery(host);
    await recovery.start();
    expect(recovery.status).toMatchObject({ state: "failed", error: { message: "An import runs." } });
    await recovery.start();
    expect(recovery.status.state).toBe("running");
  });

  test("begun before this page was is taken up, an old end is not", async () => {
    const host = new FakeHost();
    const recovery = new StoreRecovery(host);
    host.recoveryStatus = { state: "done", report: recoveryReport };
    await recovery.look();
    expect(recovery.shown).toBe(false);
    host.recoveryStatus = running("sessions", 1, 4);
    await recovery.look();
    expect([recovery.shown, recovery.percent]).toEqual([true, 25]);
  });
});
