/** What a user does with the turns of a session: send, stop, steer, answer, take back. Each failure is said. */
import type { Approval } from "../ipc/generated/Approval";
import type { ApprovalChoice } from "../ipc/generated/ApprovalChoice";
import type { BusyMode } from "../ipc/generated/BusyMode";
import type { ModelChoice } from "../ipc/generated/ModelChoice";
import type { PromptStatus } from "../ipc/generated/PromptStatus";
import { liveTexts as texts } from "../lib/texts/live";
import { toIpcError, type Platform } from "../platform/types";
import type { Live, LiveSessions, Place } from "./live.svelte";

/** A session, or a draft in a folder, as the window has it open. */
export interface Seat {
  place: Place;
  sessionId: string | null;
  folder: string | null;
}

/** Says a failure, with what may be tried again. */
export type Say = (title: string, message: string, retry: (() => void) | null) => void;

export class Turns {
  #platform: Platform;
  #live: LiveSessions;
  #say: Say;

  constructor(platform: Platform, live: LiveSessions, say: Say) {
    this.#platform = platform;
    this.#live = live;
    this.#say = say;
  }

  /** Sends a prompt; `replace` is the message that it stands for from now on. Rejects with an `IpcError`. */
  async send(seat: Seat, text: string, busy: BusyMode, replace?: string): Promise<PromptStatus> {
    return this.#with(seat, async (live) => {
      const answer = await this.#platform.call("prompt_submit", {
        live_id: live.id,
        text,
        busy,
        ...(replace === undefined ? {} : { replace }),
      });
      this.#live.moved(live, answer.session_id);
      return answer.status;
    });
  }

  async stop(live: Live): Promise<void> {
    await this.#try(texts.notStopped, () => this.#platform.call("session_interrupt", { live_id: live.id }));
  }

  /** The queued prompt as it is to be; `""` removes it. */
  async queue(live: Live, text: string): Promise<boolean> {
    return this.#try(texts.notQueued, () => this.#platform.call("queue_set", { live_id: live.id, text }));
  }

  async retry(seat: Seat): Promise<void> {
    await this.#try(texts.notRetried, () =>
      this.#with(seat, (live) => this.#platform.call("session_retry", { live_id: live.id })),
    );
  }

  /** Takes the last exchange back. The answer is its prompt, for the composer; null when it was refused. */
  async undo(seat: Seat): Promise<string | null> {
    let text: string | null = null;
    await this.#try(texts.notUndone, async () => {
      text = await this.#with(
        seat,
        async (live) => (await this.#platform.call("session_undo", { live_id: live.id })).text,
      );
    });
    return text;
  }

  /** The model of this session from now on; null: the one of the settings. */
  async chooseModel(seat: Seat, model: ModelChoice | null): Promise<void> {
    await this.#try(texts.modelNotChosen, () =>
      this.#with(seat, (live) =>
        this.#platform.call("session_model", { live_id: live.id, ...(model === null ? {} : { model }) }),
      ),
    );
  }

  async compress(seat: Seat): Promise<void> {
    await this.#try(texts.notCompressed, () =>
      this.#with(seat, (live) => this.#platform.call("session_compress", { live_id: live.id })),
    );
  }

  /** Rejects with an `IpcError`: the card says it in its place. */
  async answer(live: Live, approval: Approval, choice: ApprovalChoice): Promise<void> {
    await this.#platform.call("approval_respond", { approval_id: approval.id, choice });
    live.answered(approval.call_id, choice);
  }

  /** Takes the session to this window. */
  async bringHere(sessionId: string): Promise<void> {
    const standing = await this.#live.activate(sessionId);
    if (standing.at === "failed") this.#say(texts.notMoved, standing.error.message, null);
  }

  /** Opens it again, which brings the window forward that has it. */
  async showThere(sessionId: string): Promise<void> {
    await this.#live.resume(sessionId);
  }

  /** A session in a window of its own; null: the main window comes to the front. */
  async openWindow(sessionId: string | null): Promise<void> {
    const request = sessionId === null ? {} : { id: sessionId };
    await this.#try(texts.windowFailed, () => this.#platform.call("window_open", request));
  }

  /** The host may have ended a session that rested long: then it is opened once more. */
  async #with<T>(seat: Seat, run: (live: Live) => Promise<T>): Promise<T> {
    const live = await this.#live.open(seat.place, seat.sessionId, seat.folder);
    try {
      return await run(live);
    } catch (error) {
      if (toIpcError(error).code !== "not_found" || live.session.session_id === null) throw error;
      this.#live.drop(live);
      return run(await this.#live.open(seat.place, seat.sessionId, seat.folder));
    }
  }

  /** Whether it went; a refusal is said. */
  async #try(title: string, run: () => Promise<unknown>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      const { message, retryable } = toIpcError(error);
      this.#say(title, message, retryable ? () => void this.#try(title, run) : null);
      return false;
    }
  }
}
