import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BAD, BASE, GOOD, LIBAV, installCommand, missingPackages } from "./codecs";
import { playerAct, seekTo, volumeAfter, type PlayerKeyPress } from "./keys";
import { isReplaced, nextStep } from "./ladder";
import { EVERY_MS, REST_MS, createPositions } from "./positions";
import { SPEEDS, formatSpeed, stepSpeed } from "./speed";

const press = (key: string, change: Partial<PlayerKeyPress> = {}): PlayerKeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...change,
});

describe("a key of the player", () => {
  const video = { isVideo: true, onControl: false };

  it.each([
    [" ", { act: "toggle" }],
    ["ArrowLeft", { act: "seek", by: -5 }],
    ["ArrowRight", { act: "seek", by: 5 }],
    ["ArrowUp", { act: "volume", by: 0.1 }],
    ["ArrowDown", { act: "volume", by: -0.1 }],
    ["Home", { act: "start" }],
    ["End", { act: "end" }],
    ["m", { act: "mute" }],
    ["M", { act: "mute" }],
    ["f", { act: "fullscreen" }],
    ["x", null],
    ["Enter", null],
    ["Tab", null],
    ["Escape", null],
  ])("%s", (key, act) => expect(playerAct(press(key), video)).toEqual(act));

  it("changes the speed with and without Shift, as keyboards have it", () => {
    for (const shiftKey of [true, false]) {
      expect(playerAct(press("<", { shiftKey }), video)).toEqual({ act: "speed", step: -1 });
      expect(playerAct(press(">", { shiftKey }), video)).toEqual({ act: "speed", step: 1 });
    }
  });

  it("with a modifier belongs to the window", () => {
    for (const key of [" ", "f", "m", "ArrowLeft", "<"])
      for (const held of ["ctrlKey", "metaKey", "altKey"] as const)
        expect(playerAct(press(key, { [held]: true }), video)).toBeNull();
    expect(playerAct(press("ArrowLeft", { shiftKey: true }), video)).toBeNull();
  });

  it("presses a button that has the focus, and makes no sound fill the screen", () => {
    expect(playerAct(press(" "), { isVideo: true, onControl: true })).toBeNull();
    expect(playerAct(press("m"), { isVideo: true, onControl: true })).toEqual({ act: "mute" });
    expect(playerAct(press("f"), { isVideo: false, onControl: false })).toBeNull();
  });

  it("leads to no place outside of the file and to no volume that is none", () => {
    expect([seekTo(2, -5, 60), seekTo(58, 5, 60), seekTo(10, 5, 60), seekTo(10, 5, Infinity)]).toEqual([
      0, 60, 15, 15,
    ]);
    let volume = 1;
    for (let i = 0; i < 15; i++) volume = volumeAfter(volume, -0.1);
    expect(volume).toBe(0);
    for (let i = 0; i < 7; i++) volume = volumeAfter(volume, 0.1);
    expect(volume).toBe(0.7);
  });
});

describe("a speed", () => {
  it("goes from half to three times by steps and stays at the ends", () => {
    expect([SPEEDS[0], SPEEDS.at(-1)]).toEqual([0.5, 3]);
    expect([stepSpeed(1, 1), stepSpeed(1, -1), stepSpeed(3, 1), stepSpeed(0.5, -1)]).toEqual([
      1.25, 0.75, 3, 0.5,
    ]);
    // Set by something else: the next one there is.
    expect([stepSpeed(1.1, 1), stepSpeed(1.1, -1)]).toEqual([1.25, 1]);
    expect(formatSpeed(1.25)).toBe("1.25×");
  });
});

describe("what is tried before a file is given up", () => {
  const start = { isFresh: true, url: "scheme", fallbackUrl: "port", looked: false };

  it("is a new address when the old one may have ended, the other way, and a look at the file", () => {
    expect(nextStep({ ...start, isFresh: false })).toBe("reopen");
    expect(nextStep(start)).toBe("swap");
    expect(nextStep({ ...start, url: "port" })).toBe("look");
    expect(nextStep({ ...start, fallbackUrl: null })).toBe("look");
    expect(nextStep({ ...start, url: "port", looked: true })).toBe("give_up");
  });

  it("ends, whatever is tried", () => {
    let tried = { ...start, isFresh: false };
    const steps: string[] = [];
    for (let i = 0; i < 10; i++) {
      const step = nextStep(tried);
      steps.push(step);
      if (step === "give_up") break;
      if (step === "reopen") tried = { ...tried, isFresh: true };
      if (step === "swap") tried = { ...tried, url: "port" };
      if (step === "look") tried = { ...tried, looked: true };
    }
    expect(steps).toEqual(["reopen", "swap", "look", "give_up"]);
  });

  it("begins anew for a file that was replaced", () => {
    const file = { size: 10, mime: "video/mp4", name: "a.mp4" };
    expect(isReplaced(file, { ...file })).toBe(false);
    expect(isReplaced(file, { ...file, size: 11 })).toBe(true);
    expect(isReplaced(file, { ...file, mime: "video/webm" })).toBe(true);
  });
});

describe("the packages of a format", () => {
  // What the web view says it plays with the packages that it depends on, and with each one more (measured).
  const floor = (type: string) => /^(audio.(mpeg|wav|flac|ogg)|video.(webm|ogg))/.test(type);
  const none = () => false;
  const withBad = (type: string) => !type.startsWith("video/x-msvideo");
  const withLibav = (type: string) => !type.includes("av01");
  const all = () => true;

  it.each(["MP4", "MOV", "MKV", "M4V"])("%s", (format) => {
    expect(missingPackages(format, floor)).toEqual([LIBAV, BAD]);
    expect(missingPackages(format, withBad)).toEqual([]);
    expect(missingPackages(format, withLibav)).toEqual([BAD]);
    expect(missingPackages(format, all)).toEqual([]);
  });

  it("name one where one is enough", () => {
    expect(missingPackages("M4A", floor)).toEqual([LIBAV]);
    expect(missingPackages("AAC", floor)).toEqual([LIBAV]);
    expect(missingPackages("WEBM", floor)).toEqual([BAD]);
    expect(missingPackages("AVI", withBad)).toEqual([LIBAV]);
    expect(missingPackages("AVI", withLibav)).toEqual([BAD]);
  });

  it.each([
    ["MP3", [GOOD]],
    ["WAV", [GOOD]],
    ["FLAC", [GOOD]],
    ["OGG", [BASE]],
    ["OGA", [BASE]],
    ["OPUS", [BASE]],
    ["OGV", [BASE]],
    ["WEBM", [GOOD, BASE, BAD]],
    ["MKV", [LIBAV, BAD, GOOD, BASE]],
  ])(
    "of %s where nothing is installed, and none of the usual ones where the web view has them",
    (format, packages) => {
      expect(missingPackages(format, none)).toEqual(packages);
      const usual = missingPackages(format, floor);
      expect(usual).not.toContain(BASE);
      expect(usual).not.toContain(GOOD);
    },
  );

  it("are none for a format nobody knows", () => {
    for (const format of ["XYZ", ""]) expect(missingPackages(format, none)).toEqual([]);
    expect(installCommand([])).toBeNull();
    expect(installCommand([LIBAV, BAD])).toBe("sudo apt install gstreamer1.0-libav gstreamer1.0-plugins-bad");
  });
});

describe("the place of the listener", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function begin(from = 0) {
    const said: number[] = [];
    return { said, places: createPositions((seconds) => said.push(seconds), from) };
  }

  it("is said every five seconds while it plays, not at each step of the clock", () => {
    const { said, places } = begin();
    for (let ms = 250; ms <= 16_000; ms += 250) {
      vi.advanceTimersByTime(250);
      places.played(ms / 1000);
    }
    expect(said).toEqual([5, 10, 15]);
  });

  it("is said at a pause at once, and once", () => {
    const { said, places } = begin();
    places.stands(3);
    places.stands(3.1);
    expect(said).toEqual([3]);
  });

  it("is said after a seek when it rests: a key that is held down says one place", () => {
    const { said, places } = begin();
    for (let at = 5; at <= 100; at += 5) {
      places.sought(at);
      vi.advanceTimersByTime(33);
    }
    expect(said).toEqual([]);
    vi.advanceTimersByTime(REST_MS);
    expect(said).toEqual([100]);
  });

  it("is not said again when the player only went to where it was, or stands at its first picture", () => {
    const { said, places } = begin(42);
    places.sought(42);
    vi.advanceTimersByTime(REST_MS);
    const fresh = begin(0);
    fresh.places.sought(0.001);
    vi.advanceTimersByTime(REST_MS);
    expect([said, fresh.said]).toEqual([[], []]);
  });

  it("is said at the end as the start", () => {
    const { said, places } = begin(42);
    places.stands(0);
    expect(said).toEqual([0]);
  });

  it("that waits is said when the player goes away, and nothing later", () => {
    const { said, places } = begin();
    places.sought(30);
    places.end();
    places.stands(31);
    places.sought(32);
    vi.advanceTimersByTime(EVERY_MS);
    expect(said).toEqual([30]);
  });
});
