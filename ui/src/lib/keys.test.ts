import { describe, expect, test } from "vitest";
import { keys, shortcutOf, spelled, zoomOf } from "./keys";

const press = (
  key: string,
  held: Partial<Record<"ctrlKey" | "metaKey" | "shiftKey" | "altKey", boolean>> = {},
) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...held,
});

describe("shortcuts", () => {
  test("are held with Ctrl, on a Mac with Cmd", () => {
    expect(shortcutOf(press("n", { ctrlKey: true }), "linux")).toBe("new");
    expect(shortcutOf(press("n", { metaKey: true }), "macos")).toBe("new");
    expect(shortcutOf(press("n", { ctrlKey: true }), "macos")).toBeNull();
    expect(shortcutOf(press("n", { metaKey: true }), "linux")).toBeNull();
  });

  test("find in the conversation, search sessions and leave redo alone", () => {
    expect(shortcutOf(press("f", { ctrlKey: true }), "linux")).toBe("find");
    expect(shortcutOf(press("f", { metaKey: true }), "macos")).toBe("find");
    expect(shortcutOf(press("g", { ctrlKey: true }), "linux")).toBe("find_next");
    expect(shortcutOf(press("G", { ctrlKey: true, shiftKey: true }), "linux")).toBe("find_previous");
    expect(shortcutOf(press("F3"), "linux")).toBe("find_next");
    expect(shortcutOf(press("F3", { shiftKey: true }), "linux")).toBe("find_previous");
    expect(shortcutOf(press("F", { ctrlKey: true, shiftKey: true }), "linux")).toBe("search");
    expect(shortcutOf(press("Z", { ctrlKey: true, shiftKey: true }), "linux")).toBeNull();
  });

  test("plain letters are nobody's", () => {
    expect(shortcutOf(press("n"), "linux")).toBeNull();
    expect(shortcutOf(press("F6", { shiftKey: true }), "linux")).toBe("round_back");
    expect(shortcutOf(press("Escape"), "linux")).toBe("back");
  });

  test("are written as the system writes them", () => {
    expect(keys("linux").search).toBe("Ctrl Shift F");
    expect(keys("macos").search).toBe("⇧⌘F");
    expect(keys("macos").click).toBe("Cmd");
  });

  test("are spelled out for a screen reader", () => {
    expect(spelled(keys("linux").search)).toBe("Control+Shift+F");
    expect(spelled(keys("macos").search)).toBe("Shift+Meta+F");
    expect(spelled(keys("linux").settings)).toBe("Control+,");
    expect(spelled(keys("linux").delete)).toBe("Delete");
  });
});

describe("the size of everything", () => {
  test("follows Ctrl with +, -, 0 and the = that shares a key with +", () => {
    expect(zoomOf(press("+", { ctrlKey: true }), "linux")).toBe("in");
    expect(zoomOf(press("+", { ctrlKey: true, shiftKey: true }), "linux")).toBe("in");
    expect(zoomOf(press("=", { ctrlKey: true }), "linux")).toBe("in");
    expect(zoomOf(press("-", { metaKey: true }), "macos")).toBe("out");
    expect(zoomOf(press("0", { ctrlKey: true }), "linux")).toBe("reset");
  });

  test("is nobody's without Ctrl, or with Alt", () => {
    expect(zoomOf(press("+"), "linux")).toBeNull();
    expect(zoomOf(press("0", { ctrlKey: true, altKey: true }), "linux")).toBeNull();
    expect(zoomOf(press("0", { metaKey: true }), "linux")).toBeNull();
    expect(zoomOf(press("9", { ctrlKey: true }), "linux")).toBeNull();
  });
});
