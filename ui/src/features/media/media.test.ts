import { describe, expect, it, vi } from "vitest";
import { formatName, remoteKind, remoteName, splitName } from "./names";
import { chooseSpeed, claim, keyOf, recall, release, remember, resumeAt, speedOf } from "./playback";
import { codeOfError, codeOfMediaError, problemOf } from "./problem";

describe("names", () => {
  it.each([
    ["clip.mp4", "clip", ".mp4"],
    ["a.b.tar.gz", "a.b.tar", ".gz"],
    ["a#b?c%.mp4", "a#b?c%", ".mp4"],
    ["رسم.png", "رسم", ".png"],
    ["no-extension", "no-extension", ""],
    [".hidden", ".hidden", ""],
    ["v1.2 final version", "v1.2 final version", ""],
    ["two\nlines.wav", "two\nlines", ".wav"],
  ])("%s keeps its extension", (name, stem, extension) => {
    expect(splitName(name)).toEqual({ stem, extension });
  });

  it("say the format", () => expect([formatName("a.MkV"), formatName("a")]).toEqual(["MKV", ""]));

  it.each([
    ["https://e.example/a/talk%202026.webm?x=1", "video", "talk 2026.webm"],
    ["https://e.example/a.PNG", "picture", "a.PNG"],
    ["https://e.example/a.mp3#t", "audio", "a.mp3"],
    ["https://e.example/", "file", "e.example"],
    ["https://e.example/%E0%A4%A", "file", "%E0%A4%A"],
    ["nonsense", "file", "nonsense"],
  ])("%s is read without being fetched", (address, kind, name) => {
    expect(remoteKind(address, "file")).toBe(kind);
    expect(remoteName(address)).toBe(name);
  });
});

describe("problems", () => {
  const of = (name: string, linux = true, packages = linux ? ["gstreamer1.0-libav"] : []) => ({
    name,
    linux,
    packages,
  });

  it("name what happened and the way out", () => {
    expect(problemOf("failed", of("a.mp4"), "The disk is gone.").words).toBe("The disk is gone.");
  });

  it.each([
    [
      "missing",
      "File is missing. Looked for /out/a. b.mp4. It was moved or deleted.",
      ["File is missing", "Looked for /out/a. b.mp4. It was moved or deleted.", [], true],
    ],
    [
      "missing",
      "File is missing. Looked for /x\u{fffd}. Its name is not Unicode and was lost in the message. Rename the file.",
      [
        "File is missing",
        "Looked for /x\u{fffd}. Its name is not Unicode and was lost in the message. Rename the file.",
        [],
        true,
      ],
    ],
    [
      "unsupported",
      "Not a file. x.mp4 is a folder or a device. Only files can be played or shown.",
      ["Not a file", "x.mp4 is a folder or a device. Only files can be played or shown.", ["reveal"], false],
    ],
    [
      "unsupported",
      "Not a media file. a.mp4 has the name of a video, but not its content.",
      ["Not a media file", "a.mp4 has the name of a video, but not its content.", ["reveal"], false],
    ],
    [
      "too_large",
      "Picture is too large. big.png is over 64 MB. Open it with another program.",
      [
        "Picture is too large",
        "big.png is over 64 MB. Open it with another program.",
        ["open", "reveal", "save"],
        false,
      ],
    ],
    [
      "blocked",
      "Path is not allowed. A message may name only a plain, full path on this computer.",
      ["Path is not allowed", "A message may name only a plain, full path on this computer.", [], false],
    ],
    [
      "blocked",
      "No message of this session names this file. Talaria opens only files that the session names.",
      [
        "No message of this session names this file",
        "Talaria opens only files that the session names.",
        [],
        false,
      ],
    ],
    [
      "remote",
      "File is on another computer. Open it on e.example in the browser.",
      ["File is on another computer", "Open it on e.example in the browser.", [], false],
    ],
    ["blocked", "No.", ["Blocked", "No.", [], false]],
  ] as const)("%s says what the host says: %s", (code, said, [title, words, actions, canRetry]) => {
    expect(problemOf(code, of("a.mp4"), said)).toMatchObject({ title, words, actions, canRetry });
  });

  it("give the packages to install on Linux only", () => {
    expect(problemOf("codec", of("a.mkv")).command).toContain("gstreamer1.0-libav");
    expect(problemOf("codec", of("a.mkv", false))).toMatchObject({ command: null });
  });

  it("come from the command's code or the element's", () => {
    expect(["missing", "too_large", "remote", "internal"].map((code) => codeOfError(code as never))).toEqual([
      "missing",
      "too_large",
      "remote",
      "failed",
    ]);
    const codes = (wasReady: boolean, lacks: boolean) =>
      [1, 2, 3, 4, undefined].map((code) => codeOfMediaError(code, { wasReady, lacks }));
    expect(codes(false, true)).toEqual(["aborted", "aborted", "codec", "codec", "codec"]);
    expect(codes(false, false)).toEqual(["aborted", "aborted", "damaged", "damaged", "damaged"]);
    expect(codes(true, true)).toEqual(["aborted", "aborted", "damaged", "damaged", "damaged"]);
  });
});

describe("what outlives a card", () => {
  it("is kept for each session and path", () => {
    remember(keyOf("s", "/a"), { position: 12 });
    remember(keyOf("s", "/a"), { size: { width: 4, height: 3 } });
    expect(recall(keyOf("s", "/a"))).toMatchObject({ position: 12, size: { width: 4, height: 3 } });
    expect(recall(keyOf("other", "/a"))).toMatchObject({ position: null, size: null });
  });

  it("is bound", () => {
    remember("first", { position: 1 });
    for (let i = 0; i < 600; i++) remember(`k${i}`, { position: 1 });
    expect(recall("first").position).toBeNull();
  });

  it("is the speed chosen for a file, and for others the last choice in the window", () => {
    expect(speedOf("slow")).toBe(1);
    chooseSpeed("slow", 0.5);
    chooseSpeed("fast", 2);
    expect([speedOf("slow"), speedOf("fast"), speedOf("new")]).toEqual([0.5, 2, 2]);
    chooseSpeed("fast", 1);
  });

  it("goes on in the middle only", () => {
    expect([
      resumeAt(12, 30),
      resumeAt(0.2, 30),
      resumeAt(29.8, 30),
      resumeAt(5, NaN),
      resumeAt(5, Infinity),
    ]).toEqual([12, 0, 0, 0, 0]);
  });

  it("lets one player play: the other stops, and a released one gives up its file", () => {
    const [a, b] = [document.createElement("audio"), document.createElement("video")];
    for (const element of [a, b]) {
      element.pause = vi.fn();
      element.load = vi.fn();
    }
    b.setAttribute("src", "x:y");
    claim(a);
    claim(a);
    expect(a.pause).not.toHaveBeenCalled();
    claim(b);
    expect(a.pause).toHaveBeenCalledOnce();
    release(b);
    expect(b.hasAttribute("src")).toBe(false);
    expect(b.load).toHaveBeenCalledOnce();
  });
});
