/** The check of the store, and what Settings > About tells of this installation. A check goes on when its page is left. */
import type { About, HealthReport, IpcError } from "../ipc";
import { toIpcError, type Platform } from "../platform";

export class StoreHealth {
  report = $state.raw<HealthReport | null>(null);
  error = $state.raw<IpcError | null>(null);
  checking = $state(false);
  about = $state.raw<About | null>(null);
  aboutError = $state.raw<IpcError | null>(null);

  #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  async readAbout(): Promise<void> {
    try {
      this.about = await this.#platform.call("about_get", {});
      this.aboutError = null;
    } catch (error) {
      this.aboutError = toIpcError(error);
    }
  }

  async check(): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    this.error = null;
    try {
      this.report = await this.#platform.call("health_check", {});
      // A repair may have changed the size of the files.
      void this.readAbout();
    } catch (error) {
      const failure = toIpcError(error);
      if (failure.code !== "cancelled") this.error = failure;
    } finally {
      this.checking = false;
    }
  }

  /** The check answers by itself once it has stopped. */
  async cancel(): Promise<void> {
    try {
      await this.#platform.call("health_cancel", {});
    } catch (error) {
      this.error = toIpcError(error);
    }
  }
}
