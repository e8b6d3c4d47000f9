/** Copies of media that this window asked for: they go on while other sessions are read, and a card finds its own again. */
import type { SaveStatus } from "../ipc";
import { lastPart } from "../lib/paths";
import { mediaTexts as texts } from "../lib/texts";
import { toIpcError, type Platform } from "../platform";
import { NO_SAVES, keyOfSave, reduceSaves, type Save, type SaveAction, type SavesState } from "./saves";

/** What is copied: a file that a message of a session names. */
export interface Saved {
  sessionId: string;
  /** As the message spells it. */
  path: string;
}

type Tell = (toast: { kind: "done" | "failed"; title: string; detail: string }) => void;

export class MediaSaves {
  #state = $state.raw<SavesState>(NO_SAVES);
  /** How many cards show each: what none shows is told by a toast. */
  #shown = new Map<string, number>();
  readonly #platform: Platform;
  readonly #tell: Tell;

  constructor(platform: Platform, tell: Tell) {
    this.#platform = platform;
    this.#tell = tell;
  }

  of(what: Saved): Save | null {
    return this.#state.saves.get(keyFor(what)) ?? null;
  }

  /** A card of it is in the page until the answer is called. */
  show(what: Saved): () => void {
    const key = keyFor(what);
    this.#shown.set(key, (this.#shown.get(key) ?? 0) + 1);
    return () => {
      const rest = (this.#shown.get(key) ?? 1) - 1;
      if (rest > 0) this.#shown.set(key, rest);
      else this.#shown.delete(key);
    };
  }

  /** The host asks where to; one copy of a file at a time. */
  async start(what: Saved): Promise<void> {
    const key = keyFor(what);
    const before = this.#state.saves.get(key)?.state;
    if (before === "asking" || before === "running") return;
    this.#do({ type: "asked", key });
    try {
      const { id } = await this.#platform.call("media_save", { session_id: what.sessionId, path: what.path });
      this.#do({ type: "answered", key, id });
    } catch (error) {
      this.#do({ type: "refused", key, message: toIpcError(error).message });
    }
  }

  async cancel(what: Saved): Promise<void> {
    const save = this.of(what);
    if (save?.state !== "running") return;
    try {
      await this.#platform.call("save_cancel", { id: save.id });
    } catch (error) {
      this.#do({ type: "refused", key: keyFor(what), message: toIpcError(error).message });
    }
  }

  /** Shows the copy in its folder. Answers why not, in words; empty when it is shown. */
  async reveal(what: Saved): Promise<string> {
    const save = this.of(what);
    if (save?.state !== "done") return "";
    try {
      await this.#platform.call("save_reveal", { id: save.id });
      return "";
    } catch (error) {
      return `${texts.notRevealed} ${toIpcError(error).message}`;
    }
  }

  close(what: Saved): void {
    this.#do({ type: "closed", key: keyFor(what) });
  }

  /** From the event stream. */
  changed(id: string, status: SaveStatus): void {
    this.#do({ type: "changed", id, status });
    const key = keyOfSave(this.#state, id);
    const unseen = key === null || !this.#shown.has(key);
    if (!unseen) return;
    if (status.state === "done") {
      this.#tell({ kind: "done", title: texts.saved(lastPart(status.path)), detail: status.path });
    } else if (status.state === "failed") {
      this.#tell({ kind: "failed", title: texts.notSaved, detail: status.error.message });
    }
  }

  #do(action: SaveAction): void {
    this.#state = reduceSaves(this.#state, action);
  }
}

function keyFor({ sessionId, path }: Saved): string {
  return `${sessionId}\n${path}`;
}
