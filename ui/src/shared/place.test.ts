import { describe, expect, test } from "vitest";
import { keptScroll } from "./place.svelte";

const rows = (names: string) => [...names].map((key) => ({ key, size: 10 }));

describe("the place in a list that was fetched anew", () => {
  test("the first row in view stays where it is", () => {
    expect(keptScroll(rows("abcdef"), rows("xyabcdef"), 25, 20, null)).toBe(45);
  });

  test("the preferred row wins over the first in view, and counts also at the top", () => {
    expect(keptScroll(rows("abcdef"), rows("axbcdef"), 0, 30, "b")).toBe(10);
    expect(keptScroll(rows("abcdef"), rows("xabycdef"), 5, 30, "c")).toBe(25);
  });

  test("at the very top new rows come into view", () => {
    expect(keptScroll(rows("abc"), rows("xabc"), 0, 30, null)).toBe(0);
    expect(keptScroll(rows("abc"), rows("xabc"), 0, 20, "c")).toBe(0);
  });

  test("when the first row in view went, the next one holds the place", () => {
    expect(keptScroll(rows("abcd"), rows("xacd"), 10, 30, null)).toBe(10);
    expect(keptScroll(rows("abcd"), rows("cd"), 10, 30, null)).toBe(0);
  });

  test("a wholly different list begins where it was scrolled", () => {
    expect(keptScroll(rows("abc"), rows("xyz"), 10, 20, "q")).toBe(10);
  });
});
