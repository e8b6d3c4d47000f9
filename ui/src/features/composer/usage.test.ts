import { expect, test } from "vitest";
import { usageDetail, usageWords } from "./usage";

const usage = {
  input_tokens: 48_211,
  output_tokens: 3_120,
  calls: 1,
  context_used: 31_400,
  context_max: 131_072,
  cost: 0.004_2,
};

test("nothing is said before anything was used", () => {
  expect(usageWords({ ...usage, input_tokens: 0, output_tokens: 0 })).toBeNull();
});

test("says only what is known", () => {
  expect(usageWords(usage)).toBe("51.3K tokens, 24 % of the context, costs 0.0042");
  expect(usageWords({ ...usage, context_max: null, cost: null })).toBe("51.3K tokens");
});

test("its tooltip has every number", () => {
  expect(usageDetail(usage)).toBe(
    "48,211 tokens in, 3,120 tokens out, 1 request to the model, 31,400 of 131,072 tokens of the context, costs 0.0042",
  );
});
