import { describe, expect, test } from "vitest";
import { cutMiddle, homeOf, lastPart, shortPath } from "./paths";

describe("paths", () => {
  test("the home folder is read from what lies under it by default", () => {
    expect(homeOf(["/home/ada/.local/share/talaria"])).toBe("/home/ada");
    expect(homeOf(["/tmp/profile", "/root/.hermes/state.db"])).toBe("/root");
    expect(homeOf(["/Users/ada/Library/Application Support/Talaria"])).toBe("/Users/ada");
    expect(homeOf(["C:\\Users\\Ada\\AppData\\Local\\Talaria"])).toBe("C:\\Users\\Ada");
  });

  test("a default name in another place says nothing about the home folder", () => {
    expect(homeOf(["/data/x/.hermes/state.db", "/srv/talaria"])).toBeNull();
    expect(homeOf([])).toBeNull();
  });

  test("only what lies inside the home folder is shortened", () => {
    expect(shortPath("/home/ada/.hermes/state.db", "/home/ada")).toBe("~/.hermes/state.db");
    expect(shortPath("/home/adam/.hermes/state.db", "/home/ada")).toBe("/home/adam/.hermes/state.db");
    expect(shortPath("C:\\Users\\Ada\\x.db", "C:\\Users\\Ada")).toBe("~\\x.db");
    expect(shortPath("/mnt/state.db", null)).toBe("/mnt/state.db");
  });
});

test("a long path loses its middle, never half a letter", () => {
  expect(cutMiddle("/home/ada/notes.md", 40)).toBe("/home/ada/notes.md");
  expect(cutMiddle("/home/ada/very/deep/folder/notes.md", 16)).toBe("/home/…/notes.md");
  const families = "👨‍👩‍👧‍👦".repeat(30);
  expect(cutMiddle(families, 11)).toBe(`${"👨‍👩‍👧‍👦".repeat(4)}…${"👨‍👩‍👧‍👦".repeat(6)}`);
});

test("the last part of a path is its name on every system", () => {
  expect(lastPart("/home/ada/notes.md")).toBe("notes.md");
  expect(lastPart("C:\\Users\\Ada\\out\\")).toBe("out");
});
