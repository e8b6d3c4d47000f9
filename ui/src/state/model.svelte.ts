/** Which model is connected, as the host last said. Settings change it and hand the answer on by `adopt`. */
import type { ModelStatus } from "../ipc/generated/ModelStatus";
import type { Platform } from "../platform/types";

export class ModelState {
  /** Null: not known yet. */
  status = $state.raw<ModelStatus | null>(null);
  #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Whether prompts can be answered; until it is known, they are let through and the host says. */
  get connected(): boolean {
    return this.status === null || this.status.settings.choice !== null;
  }

  /** The model of a session without a choice of its own. */
  get name(): string | null {
    return this.status?.settings.choice?.model ?? null;
  }

  adopt(status: ModelStatus): void {
    this.status = status;
  }

  async read(): Promise<void> {
    try {
      this.status = await this.#platform.call("model_status", {});
    } catch {
      // Asked again with the next start of the events; a prompt that cannot be answered says why.
    }
  }
}
