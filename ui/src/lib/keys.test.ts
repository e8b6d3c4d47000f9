import { describe, expect, test } from "vitest";
import { keys, shortcutOf, spelled } from "./keys";

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

  test("leave Ctrl F to the conversation and redo alone", () => {
    expect(shortcutOf(press("f", { ctrlKey: true }), "linux")).toBeNull();
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
