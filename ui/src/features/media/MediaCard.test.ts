import { waitFor } from "@testing-library/svelte";
import { tick } from "svelte";
import { describe, expect, it, vi } from "vitest";
import { ipcError } from "../../dev/fake-chat";
import type { MediaOpenResponse } from "../../ipc/generated/MediaOpenResponse";
import {
  FakeIntersection,
  element,
  metadata,
  near,
  press,
  show,
  standInForTheBrowser,
} from "../../dev/media-card";
import { keyOf, recall, remember } from "./playback";

standInForTheBrowser();

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
    expect(opens()).toBe(2);
  });

  it("that plays goes on when it leaves, and gives up its file once it stops there", async () => {
    show("talk.mp3", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    const audio = element("audio");
    metadata(audio);
    press(audio);
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

  it("asks again for an address that ended while it was away", async () => {
    const { platform, opens } = show("ended.wav", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    metadata(element("audio"));
    FakeIntersection.move(false);
    await waitFor(() => expect(document.querySelector("audio")).toBeNull());
    const old = platform.media.get("/out/ended.wav") as MediaOpenResponse;
    platform.media.set("/out/ended.wav", { ...old, url: "hermes-media://localhost/stream/2/ended.wav" });
    FakeIntersection.move(true);
    await waitFor(() => expect(document.querySelector("audio")?.src).toContain("/stream/2/"));
    expect(opens()).toBe(2);
  });

  it("shows a file that grew as it is now: when it comes near again, and when it is played, where it was", async () => {
    const { platform, card, opens } = show("grows.wav", "audio");
    const grow = (size: number) => {
      const old = platform.media.get("/out/grows.wav") as MediaOpenResponse;
      platform.media.set("/out/grows.wav", { ...old, size });
    };
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    metadata(element("audio"));
    expect(card()).toHaveTextContent("41.2 MB");
    FakeIntersection.move(false);
    await waitFor(() => expect(document.querySelector("audio")).toBeNull());
    grow(50_000_000);
    FakeIntersection.move(true);
    await waitFor(() => expect(card()).toHaveTextContent("50 MB"));
    const before = element("audio");
    metadata(before, { duration: 80 });
    before.currentTime = 30;
    grow(60_000_000);
    press(before);
    await waitFor(() => expect(card()).toHaveTextContent("60 MB"));
    const after = element("audio");
    expect(after).not.toBe(before);
    metadata(after, { duration: 90 });
    expect(after.currentTime).toBe(30);
    expect(after.play).toHaveBeenCalled();
    // What goes on by itself is not asked for again, however fast the file grows.
    grow(70_000_000);
    press(after);
    await tick();
    expect(opens()).toBe(3);
  });

  it("that is gone when it comes near again says so", async () => {
    const { platform, card } = show("went.wav", "audio");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    FakeIntersection.move(false);
    await tick();
    platform.media.set("/out/went.wav", ipcError("missing", "File is missing. Looked for /out/went.wav."));
    FakeIntersection.move(true);
    await waitFor(() => expect(card().dataset.mediaCode).toBe("missing"));
  });

  it("asks once, however often it comes and goes before the answer", async () => {
    const { platform } = show("once.wav", "audio");
    const call = platform.call;
    const answers: (() => void)[] = [];
    platform.call = async (name, request) => {
      if (name === "media_open") await new Promise<void>((resolve) => answers.push(resolve));
      return call(name, request);
    };
    for (const isNear of [true, false, true]) {
      FakeIntersection.move(isNear);
      await tick();
    }
    expect(answers).toHaveLength(1);
    for (const answer of answers) answer();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
  });
});
