import { describe, expect, it } from "vitest";
import type { MediaTag } from "../ipc/generated/MediaTag";
import { cutMedia } from "./cut";

const tag = (start: number, end: number): MediaTag => ({
  start,
  end,
  target: "/a.mp4",
  kind: "video",
  name: "a.mp4",
});
const tagIn = (text: string, part = "MEDIA:/a.mp4", from = 0): MediaTag => {
  const start = text.indexOf(part, from);
  return tag(start, start + part.length);
};
const shape = (text: string, tags: MediaTag[]) =>
  cutMedia(text, tags).map((piece) => (piece.kind === "text" ? piece.text : piece.tag.name));

describe("media in a text", () => {
  it("is cut out where the core found it", () => {
    const text = "Here:\nMEDIA:/a.mp4\nand on.";
    expect(shape(text, [tagIn(text)])).toEqual(["Here:\n", "a.mp4", "\nand on."]);
  });

  it("counts UTF-16 units, as the page slices", () => {
    const text = "😀 MEDIA:/a.mp4 b";
    expect(shape(text, [tagIn(text)])).toEqual(["😀 ", "a.mp4", " b"]);
  });

  it("leaves no block for blanks or for the full stop behind a tag", () => {
    const text = "MEDIA:/a.mp4\n\nMEDIA:/a.mp4.\n";
    expect(shape(text, [tagIn(text), tagIn(text, "MEDIA:/a.mp4", 5)])).toEqual(["a.mp4", "a.mp4"]);
  });

  it("that the core did not list stays text", () => {
    const text = "```\nMEDIA:/a.mp4\n```";
    expect(shape(text, [])).toEqual([text]);
  });

  it("with places that overlap or lie outside is left alone", () => {
    expect(shape("abcdef", [tag(1, 3), tag(2, 4), tag(5, 99), tag(4, 4)])).toEqual(["a", "a.mp4", "def"]);
  });

  it("of an empty text is nothing", () => expect(shape("", [])).toEqual([]));
});
