import { cleanup, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { ipcError } from "../../dev/fake-chat";
import { FakeIntersection, element, metadata, near, show, standInForTheBrowser } from "../../dev/media-card";

standInForTheBrowser();

describe("a media card", () => {
  it("has a speed, chosen by a menu or by keys, which the next file takes up", async () => {
    show("slow.mp3", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    metadata(element("audio"));
    Object.defineProperty(element("audio"), "readyState", { configurable: true, value: 1 });
    await userEvent.click(screen.getByRole("button", { name: "Speed 1×" }));
    expect(screen.getByRole("menuitemradio", { name: "1×" })).toHaveAttribute("aria-checked", "true");
    await userEvent.click(screen.getByRole("menuitemradio", { name: "1.5×" }));
    expect(element("audio").playbackRate).toBe(1.5);
    expect(screen.getByRole("button", { name: "Speed 1.5×" })).toHaveFocus();
    await userEvent.keyboard(">");
    expect(element("audio").playbackRate).toBe(1.75);
    cleanup();
    FakeIntersection.all = [];
    show("next.mp3", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    metadata(element("audio"));
    expect(element("audio").playbackRate).toBe(1.75);
    expect(element("audio").preservesPitch).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Speed 1.75×" }));
    await userEvent.click(screen.getByRole("menuitemradio", { name: "1×" }));
  });

  it("takes the keys of its player before the web view's own controls do", async () => {
    show("keys.mp4", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    const video = element("video");
    metadata(video);
    Object.defineProperty(video, "readyState", { configurable: true, value: 1 });
    const seen = vi.fn();
    video.addEventListener("keydown", seen);
    const press = (key: string, change: KeyboardEventInit = {}) => {
      const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...change });
      video.dispatchEvent(event);
      return event.defaultPrevented;
    };
    video.currentTime = 20;
    expect(press("ArrowRight")).toBe(true);
    expect(video.currentTime).toBe(25);
    press("m");
    expect(video.muted).toBe(true);
    press("m", { repeat: true });
    expect(video.muted).toBe(true);
    press("ArrowDown");
    expect(video.volume).toBeCloseTo(0.9);
    press(" ");
    expect(HTMLMediaElement.prototype.play).toHaveBeenCalledOnce();
    press("End");
    expect(video.currentTime).toBe(60);
    expect(seen).not.toHaveBeenCalled();
    expect(press("f", { ctrlKey: true })).toBe(false);
    expect(seen).toHaveBeenCalledOnce();
  });

  it("leaves Space to a button that has the focus", async () => {
    show("button.mp4", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    metadata(element("video"));
    Object.defineProperty(element("video"), "readyState", { configurable: true, value: 1 });
    screen.getByRole("button", { name: "Reveal in folder" }).focus();
    await userEvent.keyboard(" ");
    expect(HTMLMediaElement.prototype.play).not.toHaveBeenCalled();
  });

  it("opens, reveals and says why not", async () => {
    const { platform, card } = show("open.mp4", "video");
    await near();
    await userEvent.click(await screen.findByRole("button", { name: "Open" }));
    expect(platform.calls.at(-1)).toEqual({
      name: "file_open",
      request: { session_id: "s1", path: "/out/open.mp4" },
    });
    platform.revealError = ipcError("missing", "The folder is gone.");
    await userEvent.click(screen.getByRole("button", { name: "Reveal in folder" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("The folder is gone.");
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(card().querySelector("[role=alert]")).toBeNull();
  });

  it("saves a copy: how far, the way out, and where it is", async () => {
    const { platform, saves } = show("copy.mp4", "video");
    platform.saveId = "7";
    await near();
    await userEvent.click(await screen.findByRole("button", { name: "Save as" }));
    saves.changed("7", { state: "running", done: 10_000_000, total: 40_000_000 });
    const progress = await screen.findByRole("progressbar", { name: "Saving copy.mp4" });
    await waitFor(() => expect(progress).toHaveAttribute("aria-valuenow", "25"));
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(platform.calls.at(-1)).toEqual({ name: "save_cancel", request: { id: "7" } });
    saves.changed("7", { state: "done", path: "/home/u/copy (1).mp4" });
    expect(await screen.findByRole("status")).toHaveTextContent("Saved as copy (1).mp4");
    await userEvent.click(screen.getByRole("button", { name: "Reveal" }));
    expect(platform.calls.at(-1)).toEqual({ name: "save_reveal", request: { id: "7" } });
  });
});
