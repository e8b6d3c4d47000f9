/** The size of everything in this window. Kept as a setting; where that cannot be stored, the window has it all the same. */
import type { ZoomStep } from "../lib/keys";
import type { App } from "./app.svelte";

/** Percent. */
export const ZOOMS = [80, 90, 100, 110, 125, 150, 175, 200] as const;
const NORMAL = 100;

/** The next size in a direction; at the last one there is no further. */
export function nextZoom(percent: number, step: ZoomStep): number {
  if (step === "reset") return NORMAL;
  if (step === "in") return ZOOMS.find((zoom) => zoom > percent) ?? ZOOMS[ZOOMS.length - 1]!;
  return ZOOMS.findLast((zoom) => zoom < percent) ?? ZOOMS[0];
}

export class Zoom {
  /** Percent, as the window shows it. */
  percent = $state(NORMAL);
  /** Grows each time a key asked for a size, so that it is said. */
  asked = $state(0);

  #app: App;
  /** Set by hand in this window: what the store says later is older. */
  #chosen = false;

  constructor(app: App) {
    this.#app = app;
  }

  /** By a key. */
  step(step: ZoomStep): void {
    this.asked += 1;
    this.set(nextZoom(this.percent, step));
  }

  set(percent: number): void {
    this.#chosen = true;
    this.#apply(percent);
    // Before the store is open there is nowhere to keep it.
    if (this.#app.boot?.phase === "ready" && percent !== this.#app.settings.zoom) {
      void this.#app.change({ zoom: percent });
    }
  }

  /** The setting as the store has it. */
  stored(percent: number): void {
    if (!this.#chosen) this.#apply(percent);
  }

  #apply(percent: number): void {
    if (percent === this.percent) return;
    this.percent = percent;
    this.#app.platform.call("window_zoom", { percent }).catch(() => {
      // The window stays as it is; everything in it goes on working.
    });
  }
}
