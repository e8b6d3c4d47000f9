import { screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import {
  FakeIntersection,
  arrived,
  element,
  metadata,
  near,
  show,
  standInForTheBrowser,
} from "../../dev/media-card";

standInForTheBrowser();

describe("a media card", () => {
  it("waits for a size that comes after everything else", async () => {
    const { card } = show("late.mp4", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    const video = element("video");
    metadata(video, { width: 0, height: 0 });
    arrived(video);
    await tick();
    expect(card().dataset.mediaState).toBe("loading");
    Object.defineProperty(video, "videoWidth", { configurable: true, value: 640 });
    Object.defineProperty(video, "videoHeight", { configurable: true, value: 360 });
    video.dispatchEvent(new Event("resize"));
    await waitFor(() => expect(card().dataset.mediaState).toBe("ready"));
    expect(card()).not.toHaveTextContent("No picture in this file");
  });

  it("says nothing of the picture before it knows any track", async () => {
    const { card } = show("tracks.mp4", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    const video = element("video");
    const audioTracks = { length: 0 };
    Object.defineProperty(video, "audioTracks", { configurable: true, value: audioTracks });
    vi.useFakeTimers();
    metadata(video, { width: 0, height: 0 });
    arrived(video);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(card().dataset.mediaState).toBe("loading");
    audioTracks.length = 1;
    video.dispatchEvent(new Event("timeupdate"));
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect(card().dataset.mediaCode).toBe("no_picture");
  });

  it("tells of a video without a picture and plays its sound", async () => {
    const { card } = show("sound.mov", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    metadata(element("video"), { width: 0, height: 0 });
    arrived(element("video"));
    await waitFor(() => expect(card()).toHaveTextContent("No picture in this file"), { timeout: 10_000 });
    expect(card().dataset.mediaCode).toBe("no_picture");
    expect(document.querySelector("video")).toBeNull();
    expect(element("audio").getAttribute("src")).toContain("sound.mov");
  });

  it("of a picture opens it large, and only when it is there", async () => {
    HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
      this.open = true;
    };
    const { card } = show("chart.png", "picture");
    await near();
    const zoom = await screen.findByRole("button", { name: "Zoom chart.png" });
    expect(zoom).toBeDisabled();
    document.querySelector("img")?.dispatchEvent(new Event("load"));
    await waitFor(() => expect(card().dataset.mediaState).toBe("ready"));
    await userEvent.click(zoom);
    expect(document.querySelector("dialog")?.getAttribute("aria-label")).toBe("chart.png");
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    expect(document.querySelector("dialog")).toBeNull();
  });

  it("gives up a picture that is far away, keeps its room, and shows it again near", async () => {
    const { card, container } = show("far.png", "picture");
    await near();
    await screen.findByRole("button", { name: "Zoom far.png" });
    const picture = document.querySelector("img");
    if (picture === null) throw new Error("no picture in the page");
    Object.defineProperty(picture, "naturalWidth", { value: 300 });
    Object.defineProperty(picture, "naturalHeight", { value: 200 });
    picture.dispatchEvent(new Event("load"));
    await waitFor(() => expect(card().dataset.mediaState).toBe("ready"));
    FakeIntersection.move(false);
    await waitFor(() => expect(document.querySelector("img")).toBeNull());
    expect(container.querySelector<HTMLElement>(".stage")?.style.aspectRatio).toBe("300 / 200");
    FakeIntersection.move(true);
    await waitFor(() => expect(document.querySelector("img")).not.toBeNull());
    expect(document.querySelector("img")?.src).toBe(picture.src);
  });

  it("of a damaged picture says so", async () => {
    const { card } = show("bad.png", "picture");
    await near();
    await screen.findByRole("button", { name: "Zoom bad.png" });
    document.querySelector("img")?.dispatchEvent(new Event("error"));
    await waitFor(() => expect(card().dataset.mediaCode).toBe("broken"));
  });
});
