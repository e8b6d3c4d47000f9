import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wakeInView } from "./wake";

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
