import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const css = readFileSync("src/styles/tokens.css", "utf8");

function declarations(block: string): Map<string, string> {
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name!, value!.trim()]),
  );
}
function block(start: string): Map<string, string> {
  const at = css.indexOf(start);
  expect(at).toBeGreaterThanOrEqual(0);
  return declarations(css.slice(at, css.indexOf("}", at)));
}
const light = block(":root {");
const dark = block(':root[data-theme="dark"] {');
const beforeScripts = block(":root:not([data-theme]) {");

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}
function contrast(tokens: Map<string, string>, fore: string, back: string): number {
  const [a, b] = [luminance(tokens.get(fore)!), luminance(tokens.get(back)!)].sort((x, y) => y - x);
  return (a! + 0.05) / (b! + 0.05);
}

const grounds = ["bg", "side", "fill", "raised", "code", "hover", "sel", "selact"];
/** The table of the look, one row a text or edge colour; `null`: these two are never paired. */
const table: [string, Map<string, string>, (number | null)[]][] = [
  ["t1", light, [16.7, 15.2, 15.1, 16.7, 15.5, 14.0, 12.7, 13.0]],
  ["t2", light, [8.1, 7.4, 7.3, 8.1, 7.5, 6.8, 6.1, 6.3]],
  ["t3", light, [6.1, 5.6, 5.5, 6.1, 5.7, 5.1, 4.6, 4.8]],
  ["accent", light, [6.7, 6.2, 6.1, 6.7, 6.3, 5.7, 5.1, 5.3]],
  ["amber", light, [7.2, 6.6, 6.5, 7.2, 6.7, 6.1, 5.5, 5.6]],
  ["red", light, [6.7, 6.1, 6.0, 6.7, 6.2, 5.6, 5.1, null]],
  ["control", light, [3.4, 3.1, 3.1, 3.4, null, null, null, null]],
  ["t1", dark, [13.6, 14.4, 12.1, 11.9, 14.3, 12.7, 10.9, 10.2]],
  ["t2", dark, [8.3, 8.8, 7.4, 7.3, 8.7, 7.7, 6.6, 6.2]],
  ["t3", dark, [6.1, 6.5, 5.4, 5.3, 6.4, 5.7, 4.9, 4.6]],
  ["accent", dark, [7.9, 8.3, 7.0, 6.9, 8.3, 7.3, 6.3, 5.9]],
  ["amber", dark, [8.9, 9.5, 7.9, 7.8, 9.4, 8.3, 7.1, 6.7]],
  ["red", dark, [7.1, 7.5, 6.3, 6.2, 7.5, 6.6, 5.7, null]],
  ["control", dark, [3.8, 4.1, 3.4, 3.4, null, null, null, null]],
];
const pairs: [string, string, number, number][] = [
  ["onaccent", "accent", 6.7, 7.8],
  ["onred", "red", 6.7, 7.7],
  ["amber", "amberbg", 6.6, 8.0],
  ["red", "redbg", 5.8, 6.6],
  ["t2", "amberbg", 7.3, 7.4],
  ["t2", "redbg", 7.0, 7.7],
  ["t1", "hit", 13.6, 6.9],
];

describe("colours", () => {
  test.each(
    table.map(([fore, theme, row]) => [theme === light ? "light" : "dark", fore, theme, row] as const),
  )("%s %s has the contrast of the table on every ground", (_name, fore, theme, row) => {
    const measured = row.map((want, index) =>
      want === null ? null : Math.round(contrast(theme, fore, grounds[index]!) * 10) / 10,
    );
    for (const [index, want] of row.entries()) {
      if (want === null) continue;
      expect(Math.abs(measured[index]! - want), `${fore} on ${grounds[index]}`).toBeLessThanOrEqual(0.1001);
      expect(measured[index]!).toBeGreaterThanOrEqual(fore === "control" ? 3.0 : 4.5);
    }
  });

  test.each(pairs)("%s on %s is %d in light and %d in dark", (fore, back, inLight, inDark) => {
    expect(contrast(light, fore, back)).toBeCloseTo(inLight, 0);
    expect(contrast(dark, fore, back)).toBeCloseTo(inDark, 0);
    expect(Math.min(contrast(light, fore, back), contrast(dark, fore, back))).toBeGreaterThanOrEqual(4.5);
  });

  test.each(["keyword", "string", "number", "function", "comment"])(
    "code in syntax %s is readable",
    (name) => {
      expect(contrast(light, `syn-${name}`, "code")).toBeGreaterThanOrEqual(5.3);
      expect(contrast(dark, `syn-${name}`, "code")).toBeGreaterThanOrEqual(5.6);
      for (const ground of ["diff-plus-bg", "diff-minus-bg"]) {
        expect(contrast(light, `syn-${name}`, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, `syn-${name}`, ground)).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test("the dark block before any script is the dark block", () => {
    expect([...beforeScripts]).toEqual([...dark]);
  });

  test("both themes have the same names", () => {
    expect([...dark.keys()].filter((name) => !light.has(name))).toEqual([]);
    expect([...light.keys()].filter((name) => !dark.has(name))).toEqual([]);
  });
});
