import { describe, expect, test } from "vitest";
import { FakeHost } from "../test/fake";
import { App } from "./app.svelte";
import { nextZoom } from "./zoom.svelte";

async function started(zoom = 100) {
  const host = new FakeHost({ settings: { zoom } });
  const app = new App(host);
  await app.start();
  app.stop();
  await settle();
  return { host, app };
}
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const zooms = (host: FakeHost) =>
  host.calls.filter((call) => call.name === "window_zoom").map((call) => call.request);

describe("the size of everything", () => {
  test("goes from step to step between 80 and 200, and back to 100", () => {
    const steps = [80];
    for (let i = 0; i < 9; i++) steps.push(nextZoom(steps.at(-1)!, "in"));
    expect(steps).toEqual([80, 90, 100, 110, 125, 150, 175, 200, 200, 200]);
    expect(nextZoom(120, "out")).toBe(110);
    expect(nextZoom(80, "out")).toBe(80);
    expect(nextZoom(175, "reset")).toBe(100);
  });

  test("is as the settings have it when the window starts", async () => {
    const { host, app } = await started(150);
    expect(app.zoom.percent).toBe(150);
    expect(zooms(host)).toEqual([{ percent: 150 }]);
  });

  test("is changed at once and kept", async () => {
    const { host, app } = await started();
    app.zoom.step("in");
    expect(app.zoom.percent).toBe(110);
    await settle();
    expect(zooms(host)).toEqual([{ percent: 110 }]);
    expect(host.settings.zoom).toBe(110);
  });

  test("stays also when it cannot be kept, as with a store that is only read", async () => {
    const { host, app } = await started();
    host.refuse.set("settings_update", { code: "read_only", message: "Only reading.", retryable: false });
    app.zoom.step("in");
    await settle();
    expect(app.zoom.percent).toBe(110);
    expect(app.toasts.map((toast) => toast.detail)).toEqual(["Only reading."]);
  });
});
