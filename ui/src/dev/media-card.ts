/** What the tests of the media card share: a card on a fake host, and an element that does what the test says. */
import { cleanup, render, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, vi } from "vitest";
import type { ErrorCode } from "../ipc/generated/ErrorCode";
import type { MediaKind } from "../ipc/generated/MediaKind";
import type { MediaTag } from "../ipc/generated/MediaTag";
import { fakeChat, ipcError } from "./fake-chat";
import { MediaSaves } from "../state/saves.svelte";
import MediaCard from "../features/media/MediaCard.svelte";

/** Stands for the browser's watcher: the test moves cards near and away. */
export class FakeIntersection {
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

export function show(
  name: string,
  kind: MediaKind | "file",
  answer?: { error?: ErrorCode; words?: string; fallback?: string; position?: number },
) {
  const platform = fakeChat([]);
  if (answer?.error) platform.media.set(`/out/${name}`, ipcError(answer.error, answer.words ?? "no"));
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
  const saves = new MediaSaves(platform, { toast: vi.fn(), closeToast: vi.fn() });
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

export function element(kind: "audio" | "video"): HTMLMediaElement {
  const found = document.querySelector<HTMLMediaElement>(kind);
  if (found === null) throw new Error(`no ${kind} in the page`);
  return found;
}

export function metadata(media: HTMLMediaElement, { duration = 60, width = 640, height = 360 } = {}) {
  Object.defineProperty(media, "duration", { configurable: true, value: duration });
  if (media instanceof HTMLVideoElement) {
    Object.defineProperty(media, "videoWidth", { configurable: true, value: width });
    Object.defineProperty(media, "videoHeight", { configurable: true, value: height });
  }
  media.dispatchEvent(new Event("loadedmetadata"));
}

/** The data of the present place is there. */
export function arrived(media: HTMLMediaElement) {
  Object.defineProperty(media, "readyState", { configurable: true, value: 2 });
  media.dispatchEvent(new Event("loadeddata"));
}

/** Somebody presses play: it runs, and says so. */
export function press(media: HTMLMediaElement) {
  Object.defineProperty(media, "paused", { configurable: true, value: false });
  media.dispatchEvent(new Event("play"));
}

export function fail(media: HTMLMediaElement, code: number) {
  Object.defineProperty(media, "error", { configurable: true, value: { code } });
  media.dispatchEvent(new Event("error"));
}

export const near = async () => {
  FakeIntersection.move(true);
  await vi.waitFor(() => expect(screen.getByRole("group").dataset.mediaState).not.toBe("waiting"));
};

/** Around each test of the file that calls it. */
export function standInForTheBrowser(): void {
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
}
