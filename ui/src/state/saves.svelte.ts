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

/** Where it is told how a copy ended that no card shows. */
export interface SaveToasts {
  /** The answer takes it away again. */
  toast(toast: { kind: "done" | "failed"; title: string; detail: string }): number;
  closeToast(id: number): void;
}

export class MediaSaves {
  #state = $state.raw<SavesState>(NO_SAVES);
  /** How many cards show each: what none shows is told by a toast. */
  #shown = new Map<string, number>();
  /** Toasts that say of a file that it was not saved: they stay until closed, or until it is. */
  #failures = new Map<string, number[]>();
  readonly #platform: Platform;
  readonly #toasts: SaveToasts;

  constructor(platform: Platform, toasts: SaveToasts) {
    this.#platform = platform;
    this.#toasts = toasts;
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
      const early = id === null ? undefined : this.#state.early.get(id);
      this.#do({ type: "answered", key, id });
      if (early !== undefined) this.#told(key, early);
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
    // Before it changes: one that failed has no id any more.
    const key = keyOfSave(this.#state, id);
    this.#do({ type: "changed", id, status });
    // What comes before its answer is told with the answer.
    if (key !== null || !this.#state.early.has(id)) this.#told(key, status);
  }

  /** `key`: none for the copy of a page before this one. */
  #told(key: string | null, status: SaveStatus): void {
    if (key !== null && status.state === "done") this.#forgive(key);
    if (key !== null && this.#shown.has(key)) return;
    if (status.state === "done") {
      this.#toasts.toast({ kind: "done", title: texts.saved(lastPart(status.path)), detail: status.path });
    } else if (status.state === "failed") {
      const title = key === null ? texts.notSaved : texts.notSavedName(nameIn(key));
      const id = this.#toasts.toast({ kind: "failed", title, detail: status.error.message });
      if (key !== null) this.#failures.set(key, [...(this.#failures.get(key) ?? []), id]);
    }
  }

  /** What was told of earlier tries is no longer true. */
  #forgive(key: string): void {
    for (const id of this.#failures.get(key) ?? []) this.#toasts.closeToast(id);
    this.#failures.delete(key);
  }

  #do(action: SaveAction): void {
    this.#state = reduceSaves(this.#state, action);
  }
}

function keyFor({ sessionId, path }: Saved): string {
  return `${sessionId}\n${path}`;
}

function nameIn(key: string): string {
  return lastPart(key.slice(key.indexOf("\n") + 1));
}
