/**
 * The connecting overlay as a pure machine over time. All times are milliseconds of one clock that the caller reads.
 * It never shows when the gateway opens within 300 ms, and never again after the first success or failure page.
 */
export type OverlayPhase = "waiting" | "live" | "text-out" | "overlay-out" | "gone";

export interface Overlay {
  phase: OverlayPhase;
  /** When this phase began. */
  since: number;
  /** It was on the screen at least once. */
  shown: boolean;
}

export const NO_FLASH_MS = 300;
export const TEXT_OUT_MS = 660;
export const OVERLAY_OUT_MS = 520;
export const TICK_MS = 45;
export const REST_TICKS = 17;
/** The preview connects for this long and starts over this long after it is gone. */
export const PREVIEW_CONNECT_MS = 2_600;
export const PREVIEW_AGAIN_MS = 1_100;

export const PREFIX = "CONN";
export const TAIL = "ECTING";
export const SCRAMBLE = "/\\|-_=+<>~:*";

export function startOverlay(now: number): Overlay {
  return { phase: "waiting", since: now, shown: false };
}

/** Where the overlay stands at `now`. Several phases may pass in one step when the clock jumped. */
export function advance(overlay: Overlay, now: number, boot: "connecting" | "ready" | "failed"): Overlay {
  // As `nextChange` reckons: a difference may come out a hair short of what was added, and its timer fires once.
  const past = (ms: number) => now >= overlay.since + ms;
  const to = (phase: OverlayPhase, since: number): Overlay => ({
    phase,
    since,
    shown: overlay.shown || phase === "live",
  });
  switch (overlay.phase) {
    case "waiting":
      if (boot === "ready" || boot === "failed") return to("gone", now);
      return past(NO_FLASH_MS) ? advance(to("live", overlay.since + NO_FLASH_MS), now, boot) : overlay;
    case "live":
      if (boot === "failed") return to("gone", now);
      return boot === "ready" ? to("text-out", now) : overlay;
    case "text-out":
      return past(TEXT_OUT_MS) ? advance(to("overlay-out", overlay.since + TEXT_OUT_MS), now, boot) : overlay;
    case "overlay-out":
      return past(OVERLAY_OUT_MS) ? to("gone", overlay.since + OVERLAY_OUT_MS) : overlay;
    case "gone":
      return overlay;
  }
}

/** When `advance` next has something to do by itself; `null`: only the gateway can change it. */
export function nextChange(overlay: Overlay): number | null {
  switch (overlay.phase) {
    case "waiting":
      return overlay.since + NO_FLASH_MS;
    case "text-out":
      return overlay.since + TEXT_OUT_MS;
    case "overlay-out":
      return overlay.since + OVERLAY_OUT_MS;
    case "live":
    case "gone":
      return null;
  }
}

/** The endless preview at `ms` since it began: which phase, as a real start of 2.6 s would show it. */
export function previewPhase(ms: number): OverlayPhase {
  const exit = PREVIEW_CONNECT_MS + TEXT_OUT_MS + OVERLAY_OUT_MS;
  const at = ms % (exit + PREVIEW_AGAIN_MS);
  if (at < PREVIEW_CONNECT_MS) return "live";
  if (at < PREVIEW_CONNECT_MS + TEXT_OUT_MS) return "text-out";
  return at < exit ? "overlay-out" : "gone";
}

/** The tail at this tick: half a letter more is decoded each tick, then it rests whole, then starts over. */
export function tailAt(tick: number, random: () => number): string {
  const decode = TAIL.length * 2;
  const decoded = Math.min(TAIL.length, Math.floor((tick % (decode + REST_TICKS)) / 2));
  let tail = TAIL.slice(0, decoded);
  while (tail.length < TAIL.length) tail += SCRAMBLE[Math.floor(random() * SCRAMBLE.length)] ?? "/";
  return tail;
}
