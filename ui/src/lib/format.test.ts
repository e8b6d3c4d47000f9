import { describe, expect, test } from "vitest";
import {
  formatAge,
  formatBytes,
  formatCapped,
  formatCount,
  formatDay,
  formatRest,
  spokenAge,
} from "./format";

const now = new Date(2026, 10, 30, 14, 30).getTime();
const ago = (minutes: number) => now - minutes * 60_000;

describe("ages", () => {
  test.each([
    [ago(0), "now"],
    [now + 5_000, "now"],
    [ago(4), "4m"],
    [ago(59), "59m"],
    [ago(60), "1h"],
    [ago(60 * 23), "23h"],
    [ago(60 * 24 * 2), "2d"],
    [ago(60 * 24 * 6.9), "6d"],
    [new Date(2026, 1, 3).getTime(), "3 Feb"],
    [new Date(2026, 8, 11).getTime(), "11 Sep"],
    [new Date(2024, 1, 3).getTime(), "Feb 2024"],
  ])("%s is %s", (at, words) => {
    expect(formatAge(at, now)).toBe(words);
  });

  test("are spoken in words", () => {
    expect(spokenAge(ago(4), now)).toBe("4 minutes ago");
    expect(spokenAge(ago(60), now)).toBe("1 hour ago");
    expect(spokenAge(ago(0), now)).toBe("just now");
  });

  test("a day is of the calendar, not of 24 hours", () => {
    expect(formatDay(new Date(2026, 10, 30, 0, 1).getTime(), now)).toBe("Today");
    expect(formatDay(new Date(2026, 10, 29, 23, 59).getTime(), now)).toBe("Yesterday");
    expect(formatDay(new Date(2026, 9, 27).getTime(), now)).toBe("27 Oct");
  });
});

test("numbers are grouped and capped ones say so", () => {
  expect(formatCount(4812)).toBe("4,812");
  expect(formatCapped({ n: 1000, more: true })).toBe("1,000+");
});

test("sizes and rests read as people say them", () => {
  expect([840, 12_400, 1_400_000_000, 999_600].map(formatBytes)).toEqual([
    "840 B",
    "12 KB",
    "1.4 GB",
    "1 MB",
  ]);
  expect(formatRest(38_000)).toBe("about 40 s left");
  expect(formatRest(130_000)).toBe("about 3 min left");
  expect(formatRest(null)).toBeNull();
});
