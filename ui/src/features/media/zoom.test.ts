import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPointers } from "./pointers";
import {
  MOST,
  fitScale,
  fitted,
  held,
  toggledScale,
  wheelFactor,
  zoomAct,
  zoomed,
  type Placed,
} from "./zoom";

const view = { width: 1000, height: 800 };
const big = { width: 4000, height: 2000 };
const tiny = { width: 16, height: 16 };

describe("a picture in its zoom view", () => {
  it("fits whole, and a small one stays as it is", () => {
    expect(fitScale(big, view)).toBe(0.25);
    expect(fitScale(tiny, view)).toBe(1);
    expect(fitted(big, view)).toEqual({ scale: 0.25, x: 0, y: 0 });
    expect(fitScale({ width: 0, height: 0 }, view)).toBe(1);
  });

  it("keeps what lies under the pointer where it is", () => {
    const before = zoomed(fitted(big, view), 0.5, { x: 0, y: 0 }, big, view);
    const at = { x: 300, y: 0 };
    const after = zoomed(before, 1, at, big, view);
    const under = (placed: Placed) => (at.x - placed.x) / placed.scale;
    expect(under(after)).toBeCloseTo(under(before));
  });

  it("goes from whole to its actual size and back, and a small one to twice its size", () => {
    expect(toggledScale(fitted(big, view), big, view)).toBe(1);
    expect(toggledScale({ scale: 1, x: 0, y: 0 }, big, view)).toBe(0.25);
    expect(toggledScale(fitted(tiny, view), tiny, view)).toBe(2);
    expect(toggledScale({ scale: 2, x: 0, y: 0 }, tiny, view)).toBe(1);
  });

  it("is never lost from view, whatever is done to it", () => {
    const length = fc.integer({ min: 1, max: 20_000 });
    const extent = fc.record({ width: length, height: length });
    const place = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(
        extent,
        extent,
        fc.double({ min: 1e-4, max: 1e3, noNaN: true }),
        place,
        place,
        (picture, window, scale, x, y) => {
          const placed = held({ scale, x, y }, picture, window);
          expect(placed.scale).toBeGreaterThanOrEqual(fitScale(picture, window));
          expect(placed.scale).toBeLessThanOrEqual(MOST);
          const half = (of: number) => (of * placed.scale) / 2;
          expect(Math.abs(placed.x)).toBeLessThanOrEqual(
            Math.max(0, half(picture.width) - window.width / 2) + 1e-6,
          );
          expect(Math.abs(placed.y)).toBeLessThanOrEqual(
            Math.max(0, half(picture.height) - window.height / 2) + 1e-6,
          );
          expect(zoomed(placed, placed.scale * 2, { x: 0, y: 0 }, picture, window).scale).toBeLessThanOrEqual(
            MOST,
          );
        },
      ),
    );
  });

  it("follows the wheel by small steps, up for nearer", () => {
    expect(wheelFactor(-50, false)).toBeGreaterThan(1);
    expect(wheelFactor(50, false) * wheelFactor(-50, false)).toBeCloseTo(1);
    expect(wheelFactor(-1e9, true)).toBeLessThan(3);
  });

  it("has keys, and leaves those of the window alone", () => {
    const key = (name: string, ctrlKey = false) =>
      zoomAct({ key: name, ctrlKey, metaKey: false, altKey: false });
    expect(key("+")).toEqual(key("="));
    expect([key("0"), key("1")]).toEqual([{ act: "fit" }, { act: "actual" }]);
    expect(key("ArrowRight")).toEqual({ act: "pan", x: -0.1, y: 0 });
    expect([key("+", true), key("a"), key("Tab")]).toEqual([null, null, null]);
  });
});

describe("pointers on a picture", () => {
  it("drag it by one and pinch it by two, about their middle", () => {
    const pointers = createPointers();
    expect(pointers.move(1, { x: 0, y: 0 })).toBeNull();
    pointers.down(1, { x: 0, y: 0 });
    expect(pointers.move(1, { x: 10, y: 5 })).toMatchObject({ x: 10, y: 5, factor: 1 });
    pointers.down(2, { x: 110, y: 5 });
    expect(pointers.move(2, { x: 210, y: 5 })).toEqual({ x: 50, y: 0, factor: 2, middle: { x: 110, y: 5 } });
    pointers.up(2);
    expect(pointers.move(1, { x: 0, y: 5 })).toMatchObject({ x: -10, y: 0, factor: 1 });
    pointers.up(1);
    expect(pointers.count).toBe(0);
  });

  it("that hardly move click", () => {
    const pointers = createPointers();
    pointers.down(1, { x: 0, y: 0 });
    pointers.move(1, { x: 50, y: 0 });
    expect(pointers.travelled).toBe(50);
    pointers.up(1);
    pointers.down(1, { x: 0, y: 0 });
    expect(pointers.travelled).toBe(0);
  });
});
