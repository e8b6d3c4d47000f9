import { render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import App from "../../App.svelte";
import type { BootFailure } from "../../ipc";
import { FakeHost, session } from "../../test/fake";

const failure = (retryAt: number): BootFailure => ({
  code: "in_use",
  title: "The store is in use",
  message: "Another Talaria (process 4711) uses this data folder. Close it, then try again.",
  log: ["open  ~/talaria", "lock  held by 4711"],
  retry_at: retryAt,
  recoverable: false,
});

const phase = () => document.querySelector<HTMLElement>("[data-phase]")?.dataset["phase"];

/** Lets time pass and everything that follows from it be drawn. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await tick();
}

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the start of the window", () => {
  test("shows no overlay at all when the gateway opens within 300 ms", async () => {
    const host = new FakeHost({ sessions: [session("a")], boot: { phase: "connecting" } });
    render(App, { platform: host });
    await pass(290);
    host.setBoot({ phase: "ready" });
    await pass(2_000);
    expect(phase()).toBeUndefined();
    expect(screen.getByRole("row", { name: /Session a/ })).toBeInTheDocument();
  });

  test("covers a slow start and leaves by its phases", async () => {
    const host = new FakeHost({ sessions: [session("a")], boot: { phase: "connecting" } });
    render(App, { platform: host });
    await pass(301);
    expect(screen.getByRole("status", { name: "Connecting" })).toHaveAttribute("data-phase", "live");
    await pass(4_000);
    host.setBoot({ phase: "ready" });
    await pass(10);
    expect(phase()).toBe("text-out");
    expect(document.querySelector(".word")).toHaveTextContent("CONNECTING");
    await pass(640);
    expect(phase()).toBe("text-out");
    await pass(20);
    expect(phase()).toBe("overlay-out");
    await pass(530);
    expect(phase()).toBe("gone");
    expect(screen.queryByRole("status", { name: "Connecting" })).toBeNull();
    host.setBoot({ phase: "connecting" });
    await pass(1_000);
    expect(phase()).toBe("gone");
  });

  test("never scrambles its first four letters", async () => {
    render(App, { platform: new FakeHost({ boot: { phase: "connecting" } }) });
    await pass(301);
    for (let ticks = 0; ticks < 60; ticks++) {
      await pass(45);
      expect(document.querySelector(".word")?.textContent).toMatch(/^CONN[ECTING/\\|\-_=+<>~:*]{6}$/);
    }
  });

  test("a failure owns the screen, counts down, and goes when the gateway opens", async () => {
    const host = new FakeHost({
      sessions: [session("a")],
      boot: { phase: "failed", failure: failure(Date.now() + 4_000) },
    });
    render(App, { platform: host });
    await pass(100);
    const alert = screen.getByRole("alert", { name: "Could not start" });
    expect(alert).toHaveTextContent("The store is in use");
    expect(alert).toHaveTextContent("held by 4711");
    expect(alert).toHaveTextContent("Trying again in 4 s.");
    expect(phase()).toBeUndefined();
    expect(screen.queryByRole("button", { name: "Gateway settings" })).toBeNull();
    await pass(2_000);
    expect(alert).toHaveTextContent("Trying again in 2 s.");
    screen.getByRole("button", { name: "Retry" }).click();
    expect(host.calls.some((call) => call.name === "boot_retry")).toBe(true);
    host.setBoot({ phase: "connecting", failure: null });
    await pass(10);
    expect(screen.getByRole("alert", { name: "Could not start" })).toHaveTextContent("Trying now.");
    host.setBoot({ phase: "ready" });
    await pass(100);
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByRole("row", { name: /Session a/ })).toBeInTheDocument();
  });

  test.each(["damaged", "newer"] as const)("a %s store is not waited for, and Retry stays", async (code) => {
    const host = new FakeHost({
      boot: { phase: "failed", failure: { ...failure(Date.now() + 3_000), code } },
    });
    render(App, { platform: host });
    await pass(100);
    const alert = screen.getByRole("alert", { name: "Could not start" });
    expect(alert).not.toHaveTextContent(/Trying|closes by itself/);
    expect(screen.getByRole("button", { name: "Retry" })).toBeEnabled();
    await pass(4_000);
    expect(alert).not.toHaveTextContent(/Trying|closes by itself/);
  });

  test("the preview plays over and over", async () => {
    render(App, { platform: new FakeHost({ boot: { preview: true } }) });
    await pass(1_000);
    expect(phase()).toBe("live");
    await pass(1_800);
    expect(phase()).toBe("text-out");
    await pass(1_200);
    expect(phase()).toBeUndefined();
    await pass(1_100);
    expect(phase()).toBe("live");
  });
});
