/**
 * What a user does to a session. Each action shows at once, asks the store, and either offers Undo or puts everything
 * back and says why.
 */
import type { SessionRow } from "../ipc";
import { formatCount } from "../lib/format";
import { copies, lists, shell } from "../lib/texts";
import { toIpcError } from "../platform";
import type { App } from "./app.svelte";
import { orderAfterMove } from "./group-order";
import { rankAt } from "./pin-order";
import { titleOf } from "./session";
import type { ToastKind } from "./toasts";
import type { UndoTurn } from "./undo";

export class SessionActions {
  #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  async archive(row: SessionRow): Promise<void> {
    const { list, platform } = this.#app;
    const turn = this.#app.beginUndo();
    list.dispatch({ type: "row_hidden", id: row.id, at: list.next() });
    const comeBack = this.#app.leave([row.id]);
    try {
      const answer = await platform.call("session_update", { id: row.id, archived: true });
      list.dispatch({ type: "row_gone", id: row.id, at: list.next() });
      this.#app.adopt(answer.row);
      this.#app.archived.forget();
      list.refreshCounts();
      this.#offerUndo(turn, "archived", shell.toastArchived, row, () =>
        this.#unarchived(row, answer.unpinned_rank),
      );
    } catch (error) {
      turn.failed();
      list.dispatch({ type: "row_kept", id: row.id });
      comeBack();
      this.#fail("archive_failed", shell.archiveFailed, error, () => void this.archive(row));
    }
  }

  async unarchive(row: SessionRow): Promise<void> {
    const { list, platform, archived } = this.#app;
    if (archived.busy.has(row.id)) return;
    archived.setBusy(row.id, true);
    const turn = this.#app.beginUndo();
    try {
      const answer = await platform.call("session_update", { id: row.id, archived: false });
      archived.remove(row.id);
      this.#app.adopt(answer.row);
      list.refreshCounts();
      this.#offerUndo(turn, "restored", shell.toastRestored, row, async () => {
        list.dispatch({ type: "row_hidden", id: row.id, at: list.next() });
        try {
          const back = await platform.call("session_update", { id: row.id, archived: true });
          list.dispatch({ type: "row_gone", id: row.id, at: list.next() });
          this.#app.adopt(back.row);
          await archived.renew();
          list.refreshCounts();
        } catch (error) {
          list.dispatch({ type: "row_kept", id: row.id });
          this.#fail("archive_failed", shell.archiveFailed, error);
        }
      });
    } catch (error) {
      turn.failed();
      this.#fail("unarchive_failed", shell.unarchiveFailed, error, () => void this.unarchive(row));
    } finally {
      archived.setBusy(row.id, false);
    }
  }

  /** To the trash. The question was asked before. What Undo does is itself not undone: it would never reach further. */
  async trash(row: SessionRow, undoable = true): Promise<void> {
    const { list, platform } = this.#app;
    const turn = undoable ? this.#app.beginUndo() : null;
    list.dispatch({ type: "row_hidden", id: row.id, at: list.next() });
    const comeBack = this.#app.leave([row.id]);
    try {
      const answer = await platform.call("session_delete", { id: row.id, mode: "trash" });
      list.dispatch({ type: "row_gone", id: row.id, at: list.next() });
      this.#app.archived.remove(row.id);
      this.#app.search.patch({ ...row, deleted_at: this.#app.now });
      this.#app.trash.forget();
      list.refreshCounts();
      if (answer.already_absent) {
        turn?.failed();
        return;
      }
      const untrash = () => this.#untrashed(row, answer.unpinned_rank);
      if (turn) this.#offerUndo(turn, "deleted", shell.toastDeleted, row, untrash);
    } catch (error) {
      turn?.failed();
      list.dispatch({ type: "row_kept", id: row.id });
      comeBack();
      this.#fail("delete_failed", shell.deleteFailed, error, () => void this.trash(row, undoable));
    }
  }

  /** At once and for good. The question was asked before. */
  async purge(row: SessionRow): Promise<void> {
    const { list, platform, archived } = this.#app;
    if (archived.busy.has(row.id)) return;
    archived.setBusy(row.id, true);
    try {
      await platform.call("session_delete", { id: row.id, mode: "purge" });
      list.dispatch({ type: "row_gone", id: row.id, at: list.next() });
      archived.remove(row.id);
      this.#app.leave([row.id]);
      this.#app.search.patch({ ...row, deleted_at: this.#app.now });
      this.#app.toast({ kind: "purged", title: shell.toastDeletedForGood, detail: titleOf(row) });
      list.refreshCounts();
    } catch (error) {
      this.#fail("delete_failed", shell.deleteFailed, error, () => void this.purge(row));
    } finally {
      archived.setBusy(row.id, false);
    }
  }

  /** Out of the trash, from its page. */
  async restore(row: SessionRow): Promise<void> {
    const { trash, platform, list } = this.#app;
    if (trash.busy.has(row.id)) return;
    trash.setBusy(row.id, true);
    const turn = this.#app.beginUndo();
    try {
      const back = await platform.call("session_restore", { id: row.id });
      trash.remove(row.id);
      this.#app.adopt(back);
      if (back.archived) await this.#app.archived.renew();
      list.refreshCounts();
      this.#offerUndo(turn, "restored", shell.toastRestored, row, async () => {
        await this.trash(back, false);
        await trash.renew();
      });
    } catch (error) {
      turn.failed();
      this.#fail("restore_failed", shell.restoreFailed, error, () => void this.restore(row));
    } finally {
      trash.setBusy(row.id, false);
    }
  }

  /** Pins on top, or gives a place back; `rank` only from Undo. */
  async pin(row: SessionRow, pinned: boolean, rank?: number, undoable = true): Promise<void> {
    const { list, platform } = this.#app;
    const turn = undoable ? this.#app.beginUndo() : null;
    const lowest = list.state.pinned[0]?.pin_rank ?? 0;
    this.#app.adopt({ ...row, pinned, pin_rank: pinned ? (rank ?? lowest - 1) : null });
    try {
      const answer = await platform.call("session_pin", {
        id: row.id,
        pinned,
        ...(rank === undefined ? {} : { rank }),
      });
      this.#app.adopt(answer);
      list.refreshCounts();
      turn?.done(() => this.pin(answer, !pinned, row.pin_rank ?? undefined, false));
    } catch (error) {
      turn?.failed();
      this.#app.adopt(row);
      this.#fail("failed", shell.pinFailed, error, () => void this.pin(row, pinned, rank, undoable));
    }
  }

  /**
   * Gives a pinned row the place `to` among those in view, 0 on top. Undo gives the old place back. The rows behind
   * follow at once; the store's own ranks come with the next look at them.
   */
  async movePinned(row: SessionRow, to: number, undoable = true): Promise<boolean> {
    const { list, platform } = this.#app;
    const shown = () => list.state.pinned.filter((other) => !list.state.gone.has(other.id));
    const from = shown().findIndex((other) => other.id === row.id);
    if (from < 0 || from === to) return false;
    const turn = undoable ? this.#app.beginUndo() : null;
    const move = (place: number) => {
      const rank = rankAt(shown(), row.id, place);
      list.dispatch({ type: "pin_moved", id: row.id, rank });
      return rank;
    };
    const rank = move(to);
    try {
      this.#app.adopt(await platform.call("session_pin", { id: row.id, pinned: true, rank }));
      list.refreshCounts();
      turn?.done(async () => void (await this.movePinned(row, from, false)));
      return true;
    } catch (error) {
      turn?.failed();
      move(from);
      this.#fail("failed", lists.moveFailed, error, () => void this.movePinned(row, to, undoable));
      return false;
    }
  }

  /** Gives a group the place `to` among the shown ones; `shown` are their folders in order. */
  async moveGroup(folder: string, to: number, shown: readonly string[]): Promise<boolean> {
    if (shown.indexOf(folder) === to) return false;
    const before = this.#app.settings.group_order;
    const turn = this.#app.beginUndo();
    const done = await this.#app.change({ group_order: orderAfterMove(shown, before, folder, to) });
    if (done) turn.done(async () => void (await this.#app.change({ group_order: before })));
    else turn.failed();
    return done;
  }

  /** Answers with the words of a refusal that the field should show, or `null` when it is done. */
  async rename(row: SessionRow, title: string, undoable = true): Promise<string | null> {
    if (title === (row.title ?? "")) return null;
    const turn = undoable ? this.#app.beginUndo() : null;
    this.#app.adopt({ ...row, title: title === "" ? null : title });
    try {
      const answer = await this.#app.platform.call("session_update", { id: row.id, title });
      this.#app.adopt(answer.row);
      const back = async () => void (await this.rename(answer.row, row.title ?? "", false));
      if (turn) this.#offerUndo(turn, "renamed", shell.toastRenamed, answer.row, back);
      return null;
    } catch (error) {
      turn?.failed();
      this.#app.adopt(row);
      const failure = toIpcError(error);
      const ofTheTitle = failure.code === "title_taken" || failure.code === "title_too_long";
      if (ofTheTitle && undoable) return failure.message;
      this.#fail("failed", shell.renameFailed, error);
      return null;
    }
  }

  /** As the user asked for it; an opened session is marked read without being asked. */
  async mark(row: SessionRow, unread: boolean, undoable = true): Promise<void> {
    const turn = undoable ? this.#app.beginUndo() : null;
    this.#app.adopt({ ...row, unread });
    try {
      const answer = await this.#app.platform.call("session_mark", { id: row.id, unread });
      this.#app.adopt(answer);
      turn?.done(() => this.mark(answer, !unread, false));
    } catch (error) {
      turn?.failed();
      this.#app.adopt(row);
      this.#fail("failed", shell.markFailed, error, () => void this.mark(row, unread, undoable));
    }
  }

  async markRead(row: SessionRow): Promise<void> {
    if (!row.unread) return;
    this.#app.adopt({ ...row, unread: false });
    try {
      this.#app.adopt(await this.#app.platform.call("session_mark", { id: row.id, unread: false }));
    } catch {
      // The mark comes back with the next list; opening the session again clears it.
      this.#app.adopt(row);
    }
  }

  async copy(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#app.toast({ kind: "done", title: done, detail: "" });
    } catch {
      this.#app.toast({ kind: "failed", title: shell.copyFailed, detail: shell.copyFailedHint });
    }
  }

  async #unarchived(row: SessionRow, rank: number | undefined): Promise<void> {
    const { list, platform, archived } = this.#app;
    try {
      const answer = await platform.call("session_update", {
        id: row.id,
        archived: false,
        ...(rank === undefined ? {} : { pin_rank: rank }),
      });
      archived.remove(row.id);
      this.#app.adopt(answer.row);
      this.#app.focusRow(answer.row.id);
      list.refreshCounts();
    } catch (error) {
      this.#fail("unarchive_failed", shell.unarchiveFailed, error, () => void this.#unarchived(row, rank));
    }
  }

  async #untrashed(row: SessionRow, rank: number | undefined): Promise<void> {
    const { platform, trash, list } = this.#app;
    try {
      const back = await platform.call("session_restore", {
        id: row.id,
        ...(rank === undefined ? {} : { pin_rank: rank }),
      });
      trash.remove(row.id);
      this.#app.adopt(back);
      if (back.archived) await this.#app.archived.renew();
      else this.#app.focusRow(back.id);
      if (this.#app.search.active) await this.#app.search.run();
      list.refreshCounts();
    } catch (error) {
      this.#fail("restore_failed", shell.restoreFailed, error, () => void this.#untrashed(row, rank));
    }
  }

  #offerUndo(
    turn: UndoTurn,
    kind: ToastKind,
    title: string,
    row: SessionRow,
    run: () => Promise<void>,
  ): void {
    if (turn.done(run)) this.#app.toast({ kind, title, detail: titleOf(row), undo: [turn.id] });
  }

  #fail(kind: ToastKind, title: string, error: unknown, retry?: () => void): void {
    const failure = toIpcError(error);
    this.#app.toast({
      kind,
      title,
      detail: failure.message,
      // A full disk or a read-only folder is mended outside; what is no longer there stays away.
      retry: failure.code === "not_found" || failure.code === "bad_request" ? null : (retry ?? null),
    });
  }
}

/** The bold words of a toast: `Archived`, or `3 archived`. */
export function toastTitle(kind: ToastKind, title: string, count: number): string {
  if (count < 2) return title;
  const n = formatCount(count);
  if (kind === "archived") return shell.manyArchived(n);
  if (kind === "deleted") return shell.manyDeleted(n);
  if (kind === "restored") return shell.manyRestored(n);
  if (kind === "marked_read") return lists.manyMarkedRead(n);
  if (kind === "marked_unread") return lists.manyMarkedUnread(n);
  if (kind === "renamed") return lists.manyRenamed(n);
  if (kind === "purged") return lists.manyPurged(n);
  if (kind === "branched") return copies.manyBranched(n);
  if (kind === "duplicated") return copies.manyDuplicated(n);
  return title + shell.manyFailed(n);
}
