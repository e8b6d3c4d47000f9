import { describe, expect, test } from "vitest";
import { homeOf, shortPath } from "./paths";

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
