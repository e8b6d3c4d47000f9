import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHeights } from "./heights";
import { isAtEnd, placeFor, placeOf, spanOf, topOf } from "./place";

const view = (top: number, height = 400, below = 0) => ({ top, height, below });

describe("the place of a reader", () => {
  it("is the end at the end, and stays there while rows grow", () => {
    const heights = createHeights(100, 50);
    const place = placeOf(heights, view(4600));
    expect(place).toEqual({ at: "end" });
    heights.measure(99, 150);
    expect(topOf(heights, view(4600), place)).toBe(4700);
  });

  it("holds the row in view whatever is measured above it", () => {
    const rows = fc.array(fc.tuple(fc.nat(99), fc.nat(500)), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4000 }), rows, (top, measured) => {
        const heights = createHeights(100, 50);
        const place = placeOf(heights, view(top));
        if (place.at === "end") return;
        // Rows after the window do not matter here; a short rest would pin it to the end.
        for (const [index, height] of measured) if (index < place.index) heights.measure(index, height);
        const next = topOf(heights, view(top), place);
        const below = heights.offset(place.index) - next;
        expect(next === 0 || Math.abs(below - place.below) < 0.001).toBe(true);
      }),
    );
  });

  it("prefers a row whose top is in view to one that began above", () => {
    const heights = createHeights(100, 50);
    expect(placeOf(heights, view(1020))).toEqual({ at: "row", index: 21, below: 30 });
  });

  it("is the row that fills the window when no top is in view", () => {
    const heights = createHeights(100, 50);
    heights.measure(20, 3000);
    expect(placeOf(heights, view(1500))).toEqual({ at: "row", index: 20, below: -500 });
  });

  it("of a transcript shorter than the window is the end", () => {
    const heights = createHeights(2, 50);
    expect(isAtEnd(heights, view(0))).toBe(true);
    expect(topOf(heights, view(0), { at: "end" })).toBe(0);
  });
});

describe("the rows to draw", () => {
  it("cover the window and its margin", () => {
    expect(spanOf(createHeights(100, 50), view(1000), 100, 80)).toEqual({ first: 18, last: 30 });
  });

  it("are never more than allowed, and those in view come first", () => {
    const span = spanOf(createHeights(50_000, 2), view(10_000), 500, 80);
    expect(span.last - span.first + 1).toBe(80);
    expect(span.first).toBeLessThanOrEqual(5_000);
    expect(span.last).toBeGreaterThan(5_000);
  });

  it("are none of an empty transcript", () => {
    expect(spanOf(createHeights(0, 50), view(0), 100, 80)).toEqual({ first: 0, last: -1 });
  });
});

describe("showing a row", () => {
  const heights = createHeights(100, 50);
  it("moves nothing when all of it is in view", () => {
    expect(placeFor(heights, view(1000), 22, 14)).toEqual({ at: "row", index: 22, below: 100 });
  });
  it("puts a row outside where it is asked for", () => {
    expect(placeFor(heights, view(1000), 5, 14)).toEqual({ at: "row", index: 5, below: 14 });
  });

  it("the end is behind what stands below the rows, and follows it", () => {
    const heights = createHeights(10, 50);
    expect(isAtEnd(heights, view(100))).toBe(true);
    expect(isAtEnd(heights, view(100, 400, 300))).toBe(false);
    expect(topOf(heights, view(100, 400, 300), { at: "end" })).toBe(400);
    // Read inside of it: the last row is far above the window and holds the place.
    const inside = view(700, 400, 1000);
    expect(topOf(heights, view(700, 400, 1500), placeOf(heights, inside))).toBe(700);
  });
});
