import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeights, resized } from "./heights";

describe("heights", () => {
  it("answer like a plain list of numbers, whatever was measured", () => {
    const changes = fc.array(fc.tuple(fc.nat(39), fc.constantFrom(0, 1, 28, 300)), { maxLength: 60 });
    fc.assert(
      fc.property(changes, fc.nat(6000), (list, y) => {
        const heights = createHeights(40, 50);
        const plain = Array<number>(40).fill(50);
        for (const [index, height] of list) {
          heights.measure(index, height);
          plain[index] = height;
        }
        const sum = (to: number) => plain.slice(0, to).reduce((a, b) => a + b, 0);
        expect(heights.total).toBe(sum(40));
        for (const index of [0, 7, 20, 39, 40]) expect(heights.offset(index)).toBe(sum(index));
        const found = plain.findIndex((_, index) => sum(index + 1) > y);
        expect(heights.at(y)).toBe(found < 0 ? 39 : found);
      }),
    );
  });

  it("keep a measured height against a guess", () => {
    const heights = createHeights(3, 10);
    heights.measure(1, 40);
    heights.guess(1, 99);
    heights.guess(2, 20);
    expect(heights.total).toBe(70);
  });

  it("say whether a measure changed anything, and take none outside", () => {
    const heights = createHeights(2, 10);
    expect([
      heights.measure(0, 10),
      heights.measure(0, 11),
      heights.measure(5, 1),
      heights.measure(-1, 1),
    ]).toEqual([false, true, false, false]);
  });

  it("know an empty transcript", () => {
    const heights = createHeights(0, 10);
    expect([heights.total, heights.at(5), heights.offset(3)]).toEqual([0, -1, 0]);
  });

  it("grow and shrink with what was measured", () => {
    const heights = createHeights(3, 10);
    heights.measure(1, 40);
    expect(resized(heights, 5, 10).total).toBe(80);
    expect(resized(heights, 5, 10).isMeasured(1)).toBe(true);
    expect(resized(heights, 2, 10).total).toBe(50);
  });
});
