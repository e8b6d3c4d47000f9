import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wakeAtEnd, wakeInView, wakeStalled } from "./wake";

describe("a muted video that comes into view", () => {
  let enter: (isIntersecting: boolean) => void = () => undefined;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        constructor(report: (entries: { isIntersecting: boolean }[]) => void) {
          enter = (isIntersecting) => report([{ isIntersecting }]);
        }
        observe = () => undefined;
        disconnect = () => undefined;
      },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  function video(muted: boolean) {
    const node = document.createElement("video");
    node.muted = muted;
    Object.defineProperty(node, "paused", { configurable: true, value: false });
    node.pause = vi.fn();
    node.play = vi.fn(() => Promise.resolve());
    return { node, end: wakeInView(node) };
  }

  it("plays on when its clock stood still", () => {
    const { node } = video(true);
    enter(true);
    vi.advanceTimersByTime(1000);
    expect(node.pause).toHaveBeenCalledOnce();
    expect(node.play).toHaveBeenCalledOnce();
  });

  it("is left alone when its clock runs, it has sound, or it went again", () => {
    const [runs, loud, went] = [video(true), video(false), video(true)];
    enter(true);
    enter(false);
    vi.advanceTimersByTime(1000);
    expect(went.node.play).not.toHaveBeenCalled();
    runs.end();
    const moving = video(true);
    enter(true);
    moving.node.currentTime = 3;
    vi.advanceTimersByTime(1000);
    expect(moving.node.play).not.toHaveBeenCalled();
    const sounding = video(false);
    enter(true);
    vi.advanceTimersByTime(1000);
    expect([loud, sounding].some(({ node }) => vi.mocked(node.play).mock.calls.length > 0)).toBe(false);
  });

  it("is not touched once its player is gone", () => {
    const { node, end } = video(true);
    enter(true);
    end();
    vi.advanceTimersByTime(1000);
    expect(node.play).not.toHaveBeenCalled();
  });
});

describe("a player whose clock stands although it plays", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Plays at two seconds; its data reach from `start` to `end`. */
  function playing([start, end] = [0, 8]) {
    const node = document.createElement("audio");
    const set = (facts: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(facts))
        Object.defineProperty(node, name, { configurable: true, writable: true, value });
    };
    const buffered = { length: 1, start: () => start, end: () => end };
    set({ paused: false, ended: false, seeking: false, currentTime: 2, buffered });
    node.pause = vi.fn();
    node.play = vi.fn(() => Promise.resolve());
    const stop = wakeStalled(node);
    node.dispatchEvent(new Event("play"));
    return { node, set, stop };
  }

  it("is played anew, three times at one place, and again at the next", () => {
    const { node, set } = playing();
    vi.advanceTimersByTime(1500);
    expect(node.play).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect([node.pause, node.play].map((call) => vi.mocked(call).mock.calls.length)).toEqual([1, 1]);
    vi.advanceTimersByTime(10_000);
    expect(node.play).toHaveBeenCalledTimes(3);
    set({ currentTime: 5 });
    vi.advanceTimersByTime(2000);
    expect(node.play).toHaveBeenCalledTimes(4);
  });

  it("is left alone while its data are missing, it seeks, it is paused, at its end or gone", () => {
    const [empty, seeks, paused, ended, gone] = [playing([4, 8]), playing(), playing(), playing(), playing()];
    seeks.set({ seeking: true });
    paused.set({ paused: true });
    ended.set({ ended: true });
    gone.stop();
    vi.advanceTimersByTime(10_000);
    for (const { node } of [empty, seeks, paused, ended, gone]) expect(node.play).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(2);
  });

  it("is left alone while its clock runs", () => {
    const { node, set } = playing();
    for (let second = 0; second < 5; second++) {
      set({ currentTime: 2 + second });
      vi.advanceTimersByTime(1000);
    }
    expect(node.play).not.toHaveBeenCalled();
  });
});

describe("a player that is sent elsewhere from its end", () => {
  function ended() {
    const node = document.createElement("video");
    const set = (paused: boolean) =>
      Object.defineProperty(node, "paused", { configurable: true, value: paused });
    const calls: string[] = [];
    node.pause = () => void calls.push("pause");
    node.play = () => {
      calls.push("play");
      return Promise.resolve();
    };
    set(true);
    const stop = wakeAtEnd(node);
    const tell = (...types: string[]) => types.forEach((type) => node.dispatchEvent(new Event(type)));
    return { set, calls, stop, tell };
  }

  it("is let go once, by playing without a moment of sound", () => {
    const { calls, tell } = ended();
    tell("ended", "seeking", "seeking", "seeked", "seeking");
    expect(calls).toEqual(["play", "pause"]);
    tell("ended", "seeking");
    expect(calls).toHaveLength(4);
  });

  it("is left alone when it never came to its end, plays again, or is gone", () => {
    const [never, plays, gone] = [ended(), ended(), ended()];
    never.tell("seeking", "seeked");
    plays.set(false);
    plays.tell("ended", "seeking", "seeked");
    plays.set(true);
    plays.tell("seeking");
    gone.stop();
    gone.tell("ended", "seeking");
    expect([never, plays, gone].map(({ calls }) => calls)).toEqual([[], [], []]);
  });
});
