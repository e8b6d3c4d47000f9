import { screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { ipcError } from "../../dev/fake-chat";
import {
  FakeIntersection,
  element,
  fail,
  metadata,
  near,
  press,
  show,
  standInForTheBrowser,
} from "../../dev/media-card";

standInForTheBrowser();

describe("a media card", () => {
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
    press(first);
    first.currentTime = 30;
    first.dispatchEvent(new Event("timeupdate"));
    fail(first, 3);
    await waitFor(() => expect(element("video").getAttribute("src")).toBe("http://127.0.0.1:9/on"));
    expect(platform.calls.find((call) => call.name === "media_fallback")?.request).toEqual({
      mime: "x/y",
      url: "hermes-media://localhost/stream/1/on.mkv",
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

  it("whose file came whole and does not play tells that and leaves the other address alone", async () => {
    const { card, platform, opens, count } = show("whole.wav", "audio", {
      fallback: "http://127.0.0.1:9/whole",
    });
    platform.fallbackError = ipcError("unsupported", "The file itself cannot be played.");
    await near();
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    fail(element("audio"), 4);
    await waitFor(() => expect(card().dataset.mediaCode).toBe("codec"));
    expect([count("media_fallback"), opens()]).toEqual([1, 2]);
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

  it.each([
    ["audio", 4],
    ["picture", undefined],
  ] as const)("of an empty file says that it is empty (%s)", async (kind, code) => {
    const name = kind === "audio" ? "empty.mp3" : "empty.png";
    const { card, platform } = show(name, kind);
    const before = platform.media.get(`/out/${name}`);
    if (before === undefined || "code" in before) throw new Error("the file is there");
    platform.media.set(`/out/${name}`, { ...before, size: 0 });
    await near();
    const selector = kind === "audio" ? "audio" : "img";
    await waitFor(() => expect(document.querySelector(selector)).not.toBeNull());
    const shown = document.querySelector(selector)!;
    if (shown instanceof HTMLMediaElement) fail(shown, code ?? 0);
    else shown.dispatchEvent(new Event("error"));
    await waitFor(() => expect(card().dataset.mediaCode).toBe("empty"));
    expect(card()).toHaveTextContent("The file is empty");
  });

  it.each([
    ["missing", []],
    ["blocked", []],
    ["remote", []],
    ["unsupported", ["Reveal in folder"]],
    ["too_large", ["Open", "Reveal in folder", "Save as"]],
    // Nothing can carry it to the player, for one: other programs play it.
    ["internal", ["Open", "Reveal in folder", "Save as"]],
  ] as const)("that is %s offers what makes sense", async (error, names) => {
    const { card } = show("a.mp4", "video", { error });
    FakeIntersection.move(true);
    await waitFor(() => expect(card().dataset.mediaState).toBe("error"));
    const offered = ["Open", "Reveal in folder", "Save as"].filter((name) =>
      screen.queryByRole("button", { name }),
    );
    expect(offered).toEqual(names);
  });

  it.each([
    ["missing", "missing", "File is missing. Looked for /out/a.mp4. Rename the file."],
    ["unsupported", "unsupported", "Not a file. a.mp4 is a folder or a device."],
    ["too_large", "too_large", "Picture is too large. a.mp4 is over 64 MB."],
    ["blocked", "blocked", "Path is not allowed. A message may name only a full path."],
    ["remote", "remote", "File is on another computer. Open it on e.example in the browser."],
    ["internal", "failed", "The file could not be opened"],
  ] as const)("that is refused with %s says what the host says", async (error, code, words) => {
    const { card } = show("a.mp4", "video", { error, words });
    FakeIntersection.move(true);
    await waitFor(() => expect(card().dataset.mediaState).toBe("error"));
    expect(card().dataset.mediaCode).toBe(code);
    for (const sentence of words.split(". ")) expect(card()).toHaveTextContent(sentence);
  });

  it("tries again on a click, asking once", async () => {
    const { card, platform, opens } = show("late.wav", "audio", { error: "missing" });
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
    expect(opens()).toBe(2);
  });
});
