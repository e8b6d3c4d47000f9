import { describe, expect, it } from "vitest";
import { MAX_SHOWN, tailOf } from "./tail";
import { formatDuration, formatTime, oneLine, prettyArguments, shortArgument } from "./words";

describe("durations", () => {
  it.each([
    [0, "< 0.1 s"],
    [49, "< 0.1 s"],
    [310, "0.3 s"],
    [9_940, "9.9 s"],
    [9_960, "10 s"],
    [42_000, "42 s"],
    [59_700, "1 min 00 s"],
    [112_000, "1 min 52 s"],
    [21_720_000, "6 h 02 min"],
    [-5, "< 0.1 s"],
  ])("%i ms is %s", (ms, words) => expect(formatDuration(ms)).toBe(words));
});

describe("times", () => {
  const now = new Date(2026, 10, 30, 18, 0).getTime();
  it.each([
    [new Date(2026, 10, 30, 14, 6), "14:06"],
    [new Date(2026, 1, 3, 9, 5), "3 Feb, 09:05"],
    [new Date(2024, 1, 3, 9, 5), "3 Feb 2024, 09:05"],
  ])("%s is %s", (at, words) => expect(formatTime(at.getTime(), now)).toBe(words));
});

describe("the argument of a tool line", () => {
  it.each([
    ['{"command":"ls -l\\n\\tcd /","timeout":5}', "ls -l cd /"],
    ['{"timeout":5,"path":"src/a.rs"}', "src/a.rs"],
    ['{"depth":2,"topic":"x"}', "x"],
    ['{"depth":2}', '{"depth":2}'],
    ["{}", ""],
    ['"text"', "text"],
    ["[1,2]", "[1,2]"],
    ["{broken", "{broken"],
    ['{"command":"a\\u202eb\\u0000c"}', "a b c"],
  ])("%s is %s", (source, words) => expect(shortArgument(source)).toBe(words));

  it("is empty without arguments", () => expect(shortArgument(null)).toBe(""));

  it("is cut at a letter's border", () => {
    const family = "👨‍👩‍👧‍👦";
    const cut = oneLine(`${"a".repeat(295)}${family}${family}`);
    expect(cut).toBe(`${"a".repeat(295)}…`);
  });

  it("is laid out for reading, or left as it was", () => {
    expect(prettyArguments('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(prettyArguments("{broken")).toBe("{broken");
  });
});

describe("the tail of an output", () => {
  const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}`).join("\n");

  it("has the last lines and counts all", () => {
    expect(tailOf(lines(40), 3)).toEqual({
      text: "line 37\nline 38\nline 39",
      shown: 3,
      lines: 40,
      shortened: false,
    });
    expect(tailOf(`${lines(3)}\n`, 3)).toMatchObject({ shown: 3, lines: 3 });
    expect(tailOf(lines(2), 12)).toMatchObject({ text: lines(2), shown: 2, lines: 2 });
    expect(tailOf("\n\nx", 2)).toMatchObject({ text: "\nx", shown: 2, lines: 3 });
  });

  it("is empty of nothing", () => {
    for (const output of ["", "\n"])
      expect(tailOf(output, 3)).toEqual({ text: "", shown: 0, lines: 0, shortened: false });
  });

  it("is bound even when all is asked for, and begins with a whole line", () => {
    const tail = tailOf(lines(100_000));
    expect(tail.shortened).toBe(true);
    expect(tail.text.length).toBeLessThanOrEqual(MAX_SHOWN);
    expect(tail.text).toMatch(/^line \d+\n/);
    expect(tail.lines).toBe(100_000);
    expect(tailOf("x".repeat(MAX_SHOWN + 10)).text).toHaveLength(MAX_SHOWN);
  });
});
