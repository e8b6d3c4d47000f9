import { expect, test } from "vitest";
import { amountOf, wholeOf } from "./amounts";

test("a whole number is read with separators, and nothing else is one", () => {
  expect([wholeOf("131072"), wholeOf("131,072"), wholeOf(" 8 192 "), wholeOf("")]).toEqual([
    131072,
    131072,
    8192,
    null,
  ]);
  for (const text of ["0", "-1", "1.5", "8k", "1e5", "9".repeat(13)]) expect(wholeOf(text)).toBeUndefined();
});

test("an amount has a point or a comma, and is never negative", () => {
  expect([amountOf("0.60"), amountOf("0,6"), amountOf("3"), amountOf("  ")]).toEqual([0.6, 0.6, 3, null]);
  for (const text of ["-1", "1.000,5", "$3", ".5", "NaN"]) expect(amountOf(text)).toBeUndefined();
});
