import { screen } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { FakeIntersection, element, metadata, show, standInForTheBrowser } from "../../dev/media-card";

standInForTheBrowser();

describe("a media card", () => {
  it("that nobody answers says so after a while, lets a person try again, and takes what comes after all", async () => {
    vi.useFakeTimers();
    const { card, platform, opens } = show("slow.wav", "audio");
    const answers: (() => void)[] = [];
    const call = platform.call;
    platform.call = async (name, request) => {
      if (name === "media_open") await new Promise<void>((resolve) => answers.push(resolve));
      return call(name, request);
    };
    FakeIntersection.move(true);
    await vi.advanceTimersByTimeAsync(14_000);
    expect(card()).not.toHaveTextContent("takes unusually long");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(card()).toHaveTextContent("This takes unusually long.");
    expect(card().dataset.mediaState).toBe("loading");
    screen.getByRole("button", { name: "Try again" }).click();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(answers).toHaveLength(2);
    expect(card()).not.toHaveTextContent("takes unusually long");
    await vi.advanceTimersByTimeAsync(15_000);
    expect(card()).toHaveTextContent("takes unusually long");
    for (const answer of answers) answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(opens()).toBe(2);
    metadata(element("audio"));
    await vi.advanceTimersByTimeAsync(0);
    expect(card().dataset.mediaState).toBe("ready");
    expect(card()).not.toHaveTextContent("takes unusually long");
  });

  it("whose player tells nothing says so, too, and another try is another player", async () => {
    vi.useFakeTimers();
    const { card } = show("mute.mp4", "video");
    FakeIntersection.move(true);
    await vi.advanceTimersByTimeAsync(16_000);
    const video = element("video");
    expect(card()).toHaveTextContent("This takes unusually long.");
    screen.getByRole("button", { name: "Try again" }).click();
    await vi.advanceTimersByTimeAsync(10);
    expect(element("video")).not.toBe(video);
    expect(card()).not.toHaveTextContent("takes unusually long");
  });
});
