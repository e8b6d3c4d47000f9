import { expect, test } from "vitest";
import { fitting, stepIn } from "./combo";

const models = ["hermes-4-70b", "hermes-4-14b", "qwen3:8b"];

test("the whole list is offered until something is typed", () => {
  expect(fitting(models, "qwen3:8b", true)).toEqual(models);
  expect(fitting(models, "  ", false)).toEqual(models);
  expect(fitting(models, "4 HERMES", false)).toEqual(["hermes-4-70b", "hermes-4-14b"]);
  expect(fitting(models, "gpt", false)).toEqual([]);
});

test("the arrows go round, and nowhere in an empty list", () => {
  expect([stepIn(3, -1, 1), stepIn(3, -1, -1), stepIn(3, 2, 1), stepIn(3, 0, -1)]).toEqual([0, 2, 0, 2]);
  expect(stepIn(0, -1, 1)).toBe(-1);
});
