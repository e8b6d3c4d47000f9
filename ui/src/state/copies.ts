/** Sessions made from sessions: a branch at a message, a duplicate. Undo puts the new one into the trash. */
import type { SessionRow } from "../ipc";
import { copies as texts } from "../lib/texts";
import { toIpcError } from "../platform";
import type { App } from "./app.svelte";
import { titleOf } from "./session";

export class SessionCopies {
  #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** A session with everything up to and with this message; without one, up to the newest. It stays linked to the old. */
  async branch(row: SessionRow, messageId?: string): Promise<void> {
    try {
      const at = messageId ?? (await this.#newest(row.id));
      const branch = await this.#app.platform.call("session_branch", {
        id: row.id,
        ...(at === undefined ? {} : { message_id: at }),
      });
      this.#made("branched", texts.branched, row, branch);
    } catch (error) {
      this.#fail(texts.branchFailed, error, () => void this.branch(row, messageId));
    }
  }

  async duplicate(row: SessionRow): Promise<void> {
    try {
      const copy = await this.#app.platform.call("session_branch", { id: row.id });
      this.#made("duplicated", texts.duplicated, row, copy);
    } catch (error) {
      this.#fail(texts.duplicateFailed, error, () => void this.duplicate(row));
    }
  }

  async #newest(id: string): Promise<string | undefined> {
    const page = await this.#app.platform.call("message_page", {
      session_id: id,
      anchor: { at: "end" },
      limit: 1,
    });
    return page.messages.at(-1)?.id;
  }

  #made(kind: "branched" | "duplicated", title: string, from: SessionRow, made: SessionRow): void {
    const app = this.#app;
    app.adopt(made);
    app.list.refreshCounts();
    app.openSession(made);
    const turn = app.beginUndo();
    const undo = async () => {
      const inView = app.open.session?.id === made.id;
      await app.actions.trash(made, false);
      // Not into an empty draft, but to where the new one came from.
      if (inView && app.open.session === null) app.openSession(this.#known(from));
    };
    if (turn.done(undo)) app.toast({ kind, title, detail: titleOf(made), undo: [turn.id] });
  }

  /** The row as the list has it by now. */
  #known(row: SessionRow): SessionRow {
    const { pinned, rest } = this.#app.list.state;
    return [...pinned, ...rest].find((other) => other.id === row.id) ?? row;
  }

  #fail(title: string, error: unknown, retry: () => void): void {
    const { code, message } = toIpcError(error);
    const final = code === "not_found" || code === "bad_request";
    this.#app.toast({ kind: "failed", title, detail: message, retry: final ? null : retry });
  }
}
