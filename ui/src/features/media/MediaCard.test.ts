import { cleanup, render, screen, waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ErrorCode } from "../../ipc/generated/ErrorCode";
import type { MediaKind } from "../../ipc/generated/MediaKind";
import type { MediaTag } from "../../ipc/generated/MediaTag";
import { fakeChat, ipcError } from "../../dev/fake-chat";
import { MediaSaves } from "../../state/saves.svelte";
import MediaCard from "./MediaCard.svelte";
import RemoteCard from "./RemoteCard.svelte";
import { keyOf, recall, remember } from "./playback";

/** Stands for the browser's watcher: the test moves cards near and away. */
class FakeIntersection {
  static all: FakeIntersection[] = [];
  constructor(private readonly report: (entries: { isIntersecting: boolean }[]) => void) {
    FakeIntersection.all.push(this);
  }
  observe = () => undefined;
  disconnect = () => undefined;
  static move(isIntersecting: boolean) {
    for (const watch of FakeIntersection.all) watch.report([{ isIntersecting }]);
  }
}

const tag = (name: string, kind: MediaTag["kind"]): MediaTag => ({
  start: 0,
  end: 1,
  target: `/out/${name}`,
  kind,
  name,
});

function show(
  name: string,
  kind: MediaKind | "file",
  answer?: { error?: ErrorCode; fallback?: string; position?: number },
) {
  const platform = fakeChat([]);
  if (answer?.error) platform.media.set(`/out/${name}`, ipcError(answer.error, "no"));
  else if (kind !== "file")
    platform.media.set(`/out/${name}`, {
      url: `hermes-media://localhost/stream/1/${name}`,
      fallback_url: answer?.fallback ?? null,
      kind,
      mime: "x/y",
      size: 41_200_000,
      position: answer?.position ?? 0,
      name,
    });
  const saves = new MediaSaves(platform, vi.fn());
  const view = render(MediaCard, { platform, sessionId: "s1", tag: tag(name, kind), saves });
  const count = (command: string) => platform.calls.filter((call) => call.name === command).length;
  return {
    platform,
    saves,
    ...view,
    card: () => screen.getByRole("group"),
    opens: () => count("media_open"),
    count,
  };
}

function element(kind: "audio" | "video"): HTMLMediaElement {
  const found = document.querySelector<HTMLMediaElement>(kind);
  if (found === null) throw new Error(`no ${kind} in the page`);
  return found;
}

function metadata(media: HTMLMediaElement, { duration = 60, width = 640, height = 360 } = {}) {
  Object.defineProperty(media, "duration", { configurable: true, value: duration });
  if (media instanceof HTMLVideoElement) {
    Object.defineProperty(media, "videoWidth", { configurable: true, value: width });
    Object.defineProperty(media, "videoHeight", { configurable: true, value: height });
  }
  media.dispatchEvent(new Event("loadedmetadata"));
}

/** The data of the present place is there. */
function arrived(media: HTMLMediaElement) {
  Object.defineProperty(media, "readyState", { configurable: true, value: 2 });
  media.dispatchEvent(new Event("loadeddata"));
}

function fail(media: HTMLMediaElement, code: number) {
  Object.defineProperty(media, "error", { configurable: true, value: { code } });
  media.dispatchEvent(new Event("error"));
}

const near = async () => {
  FakeIntersection.move(true);
  await vi.waitFor(() => expect(screen.getByRole("group").dataset.mediaState).not.toBe("waiting"));
};

beforeEach(() => {
  FakeIntersection.all = [];
  vi.stubGlobal("IntersectionObserver", FakeIntersection);
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockImplementation(() => undefined);
  vi.spyOn(HTMLMediaElement.prototype, "load").mockImplementation(() => undefined);
  vi.spyOn(HTMLMediaElement.prototype, "play").mockResolvedValue();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a media card", () => {
  it("away from the window opens nothing", () => {
    const { opens, card } = show("a.mp4", "video");
    expect(opens()).toBe(0);
    expect(document.querySelector("video")).toBeNull();
    expect(card().dataset.mediaState).toBe("waiting");
  });

  it("near the window reads the metadata, never plays by itself, and shows its controls only then", async () => {
    const { card } = show("near.mp4", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    const video = element("video");
    expect(video.getAttribute("preload")).toBe("metadata");
    expect(video.hasAttribute("autoplay")).toBe(false);
    expect(video.hasAttribute("controls")).toBe(false);
    expect(card().dataset.mediaState).toBe("loading");
    metadata(video);
    await waitFor(() => expect(card().dataset.mediaState).toBe("ready"));
    expect(video.hasAttribute("controls")).toBe(true);
    expect(HTMLMediaElement.prototype.play).not.toHaveBeenCalled();
    expect(card()).toHaveAccessibleName("Video: near.mp4");
    expect(card()).toHaveTextContent("640 × 360, 41.2 MB");
  });

  it("leaves a video in the room it was given while it is near, and keeps its own from then on", async () => {
    const ratio = () => document.querySelector<HTMLElement>(".stage")?.style.aspectRatio;
    const first = show("wide.mp4", "video");
    expect(ratio()).toBe("16 / 9");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    metadata(element("video"), { width: 960, height: 400 });
    await waitFor(() => expect(first.card().dataset.mediaState).toBe("ready"));
    expect(ratio()).toBe("16 / 9");
    FakeIntersection.move(false);
    await waitFor(() => expect(ratio()).toBe("960 / 400"));
    FakeIntersection.move(true);
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    expect(ratio()).toBe("960 / 400");
    first.unmount();
    show("wide.mp4", "video");
    expect(ratio()).toBe("960 / 400");
  });

  it("gives up its file when it leaves and goes on where it was", async () => {
    const { card, opens } = show("leaves.wav", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    const audio = element("audio");
    expect(audio.hasAttribute("controls")).toBe(false);
    metadata(audio);
    audio.currentTime = 20;
    audio.dispatchEvent(new Event("timeupdate"));
    audio.currentTime = 21;
    // Dropping the address turns the clock back, as browsers do.
    audio.load = vi.fn(() => {
      audio.currentTime = 0;
      audio.dispatchEvent(new Event("timeupdate"));
    });
    FakeIntersection.move(false);
    await waitFor(() => expect(document.querySelector("audio")).toBeNull());
    expect(audio.hasAttribute("src")).toBe(false);
    expect(audio.load).toHaveBeenCalled();
    expect(card().dataset.mediaState).toBe("ready");
    expect(recall(keyOf("s1", "/out/leaves.wav")).position).toBe(21);

    FakeIntersection.move(true);
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    const again = element("audio");
    metadata(again);
    expect(again.currentTime).toBe(21);
    expect(opens()).toBe(1);
  });

  it("that plays goes on when it leaves, and gives up its file once it stops there", async () => {
    show("talk.mp3", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    const audio = element("audio");
    metadata(audio);
    audio.dispatchEvent(new Event("play"));
    FakeIntersection.move(false);
    await tick();
    expect(document.querySelector("audio")).toBe(audio);
    expect(audio.hasAttribute("src")).toBe(true);
    audio.dispatchEvent(new Event("pause"));
    await waitFor(() => expect(document.querySelector("audio")).toBeNull());
    expect(audio.hasAttribute("src")).toBe(false);
  });

  it("of a video seeks a hair's breadth, so that its first picture shows", async () => {
    show("first.mp4", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    const video = element("video");
    metadata(video);
    expect(video.currentTime).toBeGreaterThan(0);
    expect(video.currentTime).toBeLessThan(0.01);
  });

  it("keeps the place of a picture it has seen before", () => {
    remember(keyOf("s1", "/out/seen.mp4"), { size: { width: 400, height: 300 } });
    const { container } = show("seen.mp4", "video");
    expect(container.querySelector<HTMLElement>(".stage")?.style.aspectRatio).toBe("400 / 300");
  });

  it("swaps to the other address once, then says that it cannot be played", async () => {
    const { card } = show("swap.mkv", "video", { fallback: "http://127.0.0.1:9/x" });
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    fail(element("video"), 4);
    await waitFor(() => expect(element("video").getAttribute("src")).toBe("http://127.0.0.1:9/x"));
    fail(element("video"), 4);
    await waitFor(() => expect(card().dataset.mediaCode).toBe("codec"));
    expect(card().dataset.mediaState).toBe("error");
    expect(card()).toHaveTextContent("MKV cannot be played on this computer");
  });

  it("goes to the other address where it was, playing when it played, after the host opened it", async () => {
    const { platform } = show("on.mkv", "video", { fallback: "http://127.0.0.1:9/on" });
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    const first = element("video");
    metadata(first);
    Object.defineProperty(first, "paused", { configurable: true, value: false });
    first.dispatchEvent(new Event("play"));
    first.currentTime = 30;
    first.dispatchEvent(new Event("timeupdate"));
    fail(first, 3);
    await waitFor(() => expect(element("video").getAttribute("src")).toBe("http://127.0.0.1:9/on"));
    expect(platform.calls.find((call) => call.name === "media_fallback")?.request).toEqual({
      mime: "x/y",
      media_error: 3,
    });
    const second = element("video");
    expect(HTMLMediaElement.prototype.play).not.toHaveBeenCalled();
    metadata(second);
    expect(second.currentTime).toBe(30);
    expect(HTMLMediaElement.prototype.play).toHaveBeenCalledOnce();
  });

  it("says why there is no other way", async () => {
    const { card, platform } = show("port.mkv", "video", { fallback: "http://127.0.0.1:9/port" });
    platform.fallbackError = ipcError("internal", "The player's port could not be opened.");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    fail(element("video"), 4);
    await waitFor(() => expect(card().dataset.mediaCode).toBe("no_player"));
    expect(card()).toHaveTextContent("The player's port could not be opened.");
  });

  it("that failed because its file went tells that, not what the player made of it", async () => {
    const { card, platform } = show("went.wav", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    metadata(element("audio"));
    platform.media.set("/out/went.wav", ipcError("missing", "no"));
    fail(element("audio"), 2);
    await waitFor(() => expect(card().dataset.mediaCode).toBe("missing"));
  });

  it("plays what took the place of its file", async () => {
    const { card, platform } = show("again.wav", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    const before = platform.media.get("/out/again.wav");
    if (before === undefined || "code" in before) throw new Error("the file is there");
    platform.media.set("/out/again.wav", {
      ...before,
      url: "hermes-media://localhost/stream/2/again.wav",
      size: 7,
    });
    fail(element("audio"), 4);
    await waitFor(() => expect(element("audio").getAttribute("src")).toContain("/2/again.wav"));
    expect(card().dataset.mediaState).not.toBe("error");
  });

  it("that failed after its metadata is damaged, and no package helps", async () => {
    const { card } = show("cut.mp4", "video");
    await near();
    await waitFor(() => expect(document.querySelector("video")).not.toBeNull());
    metadata(element("video"));
    fail(element("video"), 3);
    await waitFor(() => expect(card().dataset.mediaCode).toBe("damaged"));
    expect(card()).not.toHaveTextContent("apt install");
  });

  it("goes on where the host knows the listener to be, and says where that is from then on", async () => {
    const { platform, card, unmount } = show("talk.ogg", "audio", { position: 42 });
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    const audio = element("audio");
    metadata(audio, { duration: 200 });
    expect(audio.currentTime).toBe(42);
    await waitFor(() => expect(card()).toHaveTextContent("0:42 / 3:20"));
    const said = () =>
      platform.calls.filter((call) => call.name === "media_position").map((call) => call.request);
    expect(said()).toEqual([]);
    audio.currentTime = 60;
    audio.dispatchEvent(new Event("timeupdate"));
    audio.dispatchEvent(new Event("pause"));
    expect(said()).toEqual([{ session_id: "s1", path: "/out/talk.ogg", seconds: 60 }]);
    audio.currentTime = 70;
    audio.dispatchEvent(new Event("timeupdate"));
    unmount();
    expect(said().at(-1)).toEqual({ session_id: "s1", path: "/out/talk.ogg", seconds: 70 });
    expect(said()).toHaveLength(2);
  });

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

  it.each([
    ["missing", []],
    ["blocked", []],
    ["remote", []],
    ["unsupported", ["Reveal in folder"]],
  ] as const)("that is %s offers what makes sense", async (error, names) => {
    const { card } = show("a.mp4", "video", { error });
    FakeIntersection.move(true);
    await waitFor(() => expect(card().dataset.mediaState).toBe("error"));
    const offered = ["Open", "Reveal in folder", "Save as"].filter((name) =>
      screen.queryByRole("button", { name }),
    );
    expect(offered).toEqual(names);
  });

  it("asks again for an address that ended while it was away", async () => {
    const { opens } = show("ended.wav", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    metadata(element("audio"));
    FakeIntersection.move(false);
    await waitFor(() => expect(document.querySelector("audio")).toBeNull());
    FakeIntersection.move(true);
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    fail(element("audio"), 4);
    await waitFor(() => expect(opens()).toBe(2));
  });

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

  it.each([
    ["missing", "missing", "Looked for /out/a.mp4"],
    ["unsupported", "unsupported", "Not a media file"],
    ["blocked", "blocked", "private file"],
    ["remote", "remote", "another computer"],
    ["internal", "failed", "could not be opened"],
  ] as const)("that is refused with %s says so", async (error, code, words) => {
    const { card } = show("a.mp4", "video", { error });
    FakeIntersection.move(true);
    await waitFor(() => expect(card().dataset.mediaState).toBe("error"));
    expect(card().dataset.mediaCode).toBe(code);
    expect(card()).toHaveTextContent(words);
  });

  it("tries again on a click", async () => {
    const { card, platform } = show("late.wav", "audio", { error: "missing" });
    FakeIntersection.move(true);
    await waitFor(() => expect(card().dataset.mediaState).toBe("error"));
    platform.media.set("/out/late.wav", {
      url: "hermes-media://localhost/stream/2/late.wav",
      fallback_url: null,
      kind: "audio",
      mime: "audio/wav",
      size: 1,
      position: 0,
      name: "late.wav",
    });
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
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

  it("of a damaged picture says so", async () => {
    const { card } = show("bad.png", "picture");
    await near();
    await screen.findByRole("button", { name: "Zoom bad.png" });
    document.querySelector("img")?.dispatchEvent(new Event("error"));
    await waitFor(() => expect(card().dataset.mediaCode).toBe("broken"));
  });
});

describe("a remote card", () => {
  it("names the host, fetches nothing and opens in the browser", async () => {
    const onLink = vi.fn();
    render(RemoteCard, { address: "https://media.example.org/talk-2026.webm", onLink });
    const card = screen.getByRole("group", { name: "Video: talk-2026.webm" });
    expect(card.dataset.mediaState).toBe("remote");
    expect(card).toHaveTextContent("Video on media.example.org");
    expect(card.querySelector("[src]")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Open in browser" }));
    expect(onLink).toHaveBeenCalledWith("https://media.example.org/talk-2026.webm");
  });
});
