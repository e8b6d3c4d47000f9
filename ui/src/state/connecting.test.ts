import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  advance,
  nextChange,
  NO_FLASH_MS,
  OVERLAY_OUT_MS,
  previewPhase,
  REST_TICKS,
  SCRAMBLE,
  startOverlay,
  TAIL,
  tailAt,
  TEXT_OUT_MS,
} from "./connecting";

describe("the connecting overlay", () => {
  test("never shows when the gateway opens within 300 ms", () => {
    const waiting = advance(startOverlay(0), NO_FLASH_MS - 1, "connecting");
    expect(advance(waiting, NO_FLASH_MS - 1, "ready")).toMatchObject({ phase: "gone", shown: false });
  });

  test("a start of 50 or 250 ms shows nothing, one of 350 ms shows the overlay and lets it end", () => {
    const opened = (ms: number) => {
      // A frame every 16 ms, as the page draws; then the gateway opens.
      let overlay = startOverlay(0);
      for (let now = 0; now < ms; now += 16) overlay = advance(overlay, now, "connecting");
      return advance(overlay, ms, "ready");
    };
    for (const ms of [50, 250]) expect(opened(ms)).toMatchObject({ phase: "gone", shown: false });
    const shown = opened(350);
    expect(shown).toMatchObject({ phase: "text-out", shown: true });
    // Once shown it stays for half a second and more: nothing flashes.
    expect(advance(shown, 350 + 500, "ready").phase).not.toBe("gone");
    expect(advance(shown, 350 + TEXT_OUT_MS + OVERLAY_OUT_MS, "ready").phase).toBe("gone");
  });

  test("shows at 300 ms and leaves through both phases, each its full time", () => {
    let overlay = advance(startOverlay(0), NO_FLASH_MS, "connecting");
    expect(overlay.phase).toBe("live");
    overlay = advance(overlay, 5_000, "ready");
    expect(overlay).toMatchObject({ phase: "text-out", since: 5_000 });
    expect(advance(overlay, 5_000 + TEXT_OUT_MS - 1, "ready").phase).toBe("text-out");
    overlay = advance(overlay, 5_000 + TEXT_OUT_MS, "ready");
    expect(overlay.phase).toBe("overlay-out");
    expect(advance(overlay, 5_000 + TEXT_OUT_MS + OVERLAY_OUT_MS - 1, "ready").phase).toBe("overlay-out");
    expect(advance(overlay, 5_000 + TEXT_OUT_MS + OVERLAY_OUT_MS, "ready").phase).toBe("gone");
  });

  test("gives the screen to a failure, and does not come back for the next attempt", () => {
    const failed = advance(advance(startOverlay(0), 400, "connecting"), 500, "failed");
    expect(failed.phase).toBe("gone");
    expect(advance(failed, 900, "connecting").phase).toBe("gone");
  });

  test("once shown it goes on to its end without a hole, whatever the clock does", () => {
    const order = ["waiting", "live", "text-out", "overlay-out", "gone"];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(900), fc.boolean()), { maxLength: 30 }), (steps) => {
        let overlay = startOverlay(0);
        let now = 0;
        let ready = false;
        for (const [wait, opens] of steps) {
          now += wait;
          ready ||= opens;
          const next = advance(overlay, now, ready ? "ready" : "connecting");
          expect(order.indexOf(next.phase)).toBeGreaterThanOrEqual(order.indexOf(overlay.phase));
          if (overlay.phase === "live" && next.phase !== "live") expect(next.phase).toBe("text-out");
          overlay = next;
        }
      }),
    );
  });

  test("decodes half a letter a tick, rests 17 ticks, starts over", () => {
    const at = (tick: number) => tailAt(tick, () => 0);
    expect(at(0)).toBe(SCRAMBLE[0]!.repeat(6));
    expect(at(1)).toBe(SCRAMBLE[0]!.repeat(6));
    expect(at(2)).toBe("E" + SCRAMBLE[0]!.repeat(5));
    expect(at(12)).toBe(TAIL);
    expect(at(12 + REST_TICKS - 1)).toBe(TAIL);
    expect(at(12 + REST_TICKS)).toBe(at(0));
  });

  test("scrambles with the agreed signs only and never changes its length", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.double({ min: 0, max: 0.999999, noNaN: true }), (tick, random) => {
        const tail = tailAt(tick, () => random);
        expect(tail).toHaveLength(TAIL.length);
        for (const [index, sign] of [...tail].entries()) {
          expect(sign === TAIL[index] || SCRAMBLE.includes(sign)).toBe(true);
        }
      }),
    );
  });

  test("the preview connects for 2.6 s, exits, and replays after 1.1 s", () => {
    expect([0, 2_599, 2_600, 3_259, 3_260, 3_779, 3_780, 4_879, 4_880].map(previewPhase)).toEqual([
      "live",
      "live",
      "text-out",
      "text-out",
      "overlay-out",
      "overlay-out",
      "gone",
      "gone",
      "live",
    ]);
  });
});

test("moves on at the very moment that its next change was reckoned for, whatever the clock's fraction", () => {
  for (let step = 0; step < 2_000; step += 1) {
    const since = step * 0.37 + 0.1;
    for (const phase of ["waiting", "text-out", "overlay-out"] as const) {
      const from = { phase, since, shown: true };
      const boot = phase === "waiting" ? "connecting" : "ready";
      expect(advance(from, nextChange(from) ?? 0, boot).phase).not.toBe(phase);
    }
  }
});
