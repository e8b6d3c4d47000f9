/**
 * What a user does to many sessions at once. It shows at once, the store is asked once, and there is one Undo; what was
 * refused comes back to its place and is said with the first reason.
 */
import type { BulkAction, BulkTarget, PinPlace, SessionBulkResponse, SessionRow } from "../ipc";
import { formatCount } from "../lib/format";
import { lists, shell } from "../lib/texts";
import { toIpcError } from "../platform";
import type { App } from "./app.svelte";
import { titleOf } from "./session";
import type { ToastKind } from "./toasts";

/** Words of one action. */
interface Words {
  kind: ToastKind;
  done: string;
  failedKind: ToastKind;
  failed: string;
  /** So many were refused. */
  refused: (n: string) => string;
}

const WORDS: Record<BulkAction, Words> = {
  archive: {
    kind: "archived",
    done: shell.toastArchived,
    failedKind: "archive_failed",
    failed: shell.archiveFailed,
    refused: lists.notArchived,
  },
  unarchive: {
    kind: "restored",
    done: shell.toastRestored,
    failedKind: "unarchive_failed",
    failed: shell.unarchiveFailed,
    refused: lists.notUnarchived,
  },
  trash: {
    kind: "deleted",
    done: shell.toastDeleted,
    failedKind: "delete_failed",
    failed: shell.deleteFailed,
    refused: lists.notDeleted,
  },
  restore: {
    kind: "restored",
    done: shell.toastRestored,
    failedKind: "restore_failed",
    failed: shell.restoreFailed,
    refused: lists.notRestored,
  },
  purge: {
    kind: "purged",
    done: shell.toastDeletedForGood,
    failedKind: "delete_failed",
    failed: shell.deleteFailed,
    refused: lists.notDeleted,
  },
  mark_read: {
    kind: "marked_read",
    done: lists.markedRead,
    failedKind: "failed",
    failed: shell.markFailed,
    refused: lists.notMarked,
  },
  mark_unread: {
    kind: "marked_unread",
    done: lists.markedUnread,
    failedKind: "failed",
    failed: shell.markFailed,
    refused: lists.notMarked,
  },
};

const OPPOSITE: Partial<Record<BulkAction, BulkAction>> = {
  archive: "unarchive",
  unarchive: "archive",
  trash: "restore",
  restore: "trash",
  mark_read: "mark_unread",
  mark_unread: "mark_read",
};

const named = (ids: readonly string[]): BulkTarget => ({ kind: "ids", ids: [...ids] });

/** What was there before an action was shown. */
interface Before {
  /** Rows that were unread. */
  unread: ReadonlySet<string>;
  /** Opens again what was left, when it is among these. */
  comeBack: (ids: readonly string[]) => void;
}

export class BulkActions {
  #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** Does it to these. A question, where one belongs, was asked before. */
  async run(action: BulkAction, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#act(action, named(ids), ids);
  }

  /** All unpinned sessions of a folder; `""` is the group without one. */
  async inWorkspace(action: "archive" | "mark_read", folder: string): Promise<void> {
    const inside = (row: SessionRow) => (row.folder ?? "") === folder;
    const ids = this.#app.list.state.rest.filter(inside).map((row) => row.id);
    await this.#act(action, { kind: "workspace", folder }, ids);
  }

  /** What a shorter limit of the automatic archive took and this one would not. */
  async restoreSwept(days: number): Promise<void> {
    await this.#act("unarchive", { kind: "swept", days }, []);
  }

  /** The automatic archive took so many: said, and taken back by Undo. */
  swept(count: number, days: number, at: number): void {
    const turn = this.#app.beginUndo();
    const offered = turn.done(() => this.#takeBack("unarchive", { kind: "swept_at", at }, []));
    if (!offered) return;
    this.#app.toast({
      kind: "swept",
      title: lists.sweptToast(formatCount(count)),
      detail: lists.sweptDetail(formatCount(days)),
      undo: [turn.id],
    });
  }

  /** `ids`: the rows known to be meant; they change in view before the store answers. */
  async #act(action: BulkAction, target: BulkTarget, ids: readonly string[]): Promise<void> {
    const words = WORDS[action];
    const app = this.#app;
    const turn = app.beginUndo();
    const title = ids.length === 1 ? this.#titleOf(ids[0]) : "";
    const before = this.#show(action, ids);
    let answer: SessionBulkResponse;
    try {
      answer = await app.platform.call("session_bulk", { target, action });
    } catch (error) {
      turn.failed();
      this.#unshow(action, ids, before);
      const { code, message } = toIpcError(error);
      const again = code !== "not_found" && code !== "bad_request";
      const retry = again ? () => void this.#act(action, target, ids) : null;
      app.toast({ kind: words.failedKind, title: words.failed, detail: message, retry });
      return;
    }
    const refused = answer.refused.map((one) => one.id);
    this.#unshow(action, refused, before);
    const no = new Set(refused);
    const settled = ids.filter((id) => !no.has(id));
    this.#settle(action, [...new Set([...settled, ...answer.done])]);
    this.#sayRefused(words, answer);
    const count = answer.done.length;
    const back = OPPOSITE[action];
    if (count === 0) {
      turn.failed();
      if (action === "mark_read" && refused.length === 0)
        app.toast({ kind: "done", title: lists.allReadAlready, detail: "" });
    } else if (back === undefined) {
      turn.failed();
      app.toast({ kind: words.kind, title: words.done, detail: title, count });
    } else if (turn.done(() => this.#takeBack(back, named(answer.done), answer.done, answer.pins))) {
      app.toast({ kind: words.kind, title: words.done, detail: title, count, undo: [turn.id] });
    }
  }

  /** Undo: the opposite on what was done, with the pins that it cost. */
  async #takeBack(
    action: BulkAction,
    target: BulkTarget,
    ids: readonly string[],
    pins: readonly PinPlace[] = [],
  ): Promise<void> {
    const words = WORDS[action];
    const before = this.#show(action, ids);
    try {
      const answer = await this.#app.platform.call("session_bulk", {
        target,
        action,
        ...(pins.length > 0 ? { pins: [...pins] } : {}),
      });
      const refused = answer.refused.map((one) => one.id);
      this.#unshow(action, refused, before);
      this.#settle(action, answer.done);
      this.#sayRefused(words, answer);
      const [first] = answer.done;
      if (first !== undefined && (action === "unarchive" || action === "restore")) this.#app.focusRow(first);
    } catch (error) {
      this.#unshow(action, ids, before);
      this.#app.toast({
        kind: words.failedKind,
        title: words.failed,
        detail: toIpcError(error).message,
        retry: () => void this.#takeBack(action, target, ids, pins),
      });
    }
  }

  /** Shows what the store is about to be asked. Answers with what was there before. */
  #show(action: BulkAction, ids: readonly string[]): Before {
    const { list, archived } = this.#app;
    if (action === "archive" || action === "trash") {
      list.dispatch({ type: "rows_hidden", ids, at: list.next() });
      const open = this.#app.open.session?.id;
      const back = this.#app.leave(ids);
      const comeBack = (kept: readonly string[]) => {
        if (open !== undefined && kept.includes(open)) back();
      };
      return { unread: new Set(), comeBack };
    } else if (action === "unarchive" || action === "purge") {
      archived.setBusyAll(ids, true);
    } else if (action === "mark_read" || action === "mark_unread") {
      const unread = this.#unread(ids);
      list.dispatch({ type: "rows_patched", ids: new Set(ids), patch: { unread: action === "mark_unread" } });
      return { unread, comeBack: () => {} };
    }
    return { unread: new Set(), comeBack: () => {} };
  }

  /** Puts back what was shown and did not come true. */
  #unshow(action: BulkAction, ids: readonly string[], { unread, comeBack }: Before): void {
    const { list, archived } = this.#app;
    if (ids.length === 0) return;
    if (action === "archive" || action === "trash") {
      list.dispatch({ type: "rows_kept", ids });
      comeBack(ids);
    } else if (action === "unarchive" || action === "purge") archived.setBusyAll(ids, false);
    else if (action === "mark_read" || action === "mark_unread") {
      const was = new Set(ids.filter((id) => unread.has(id)));
      const wasNot = new Set(ids.filter((id) => !unread.has(id)));
      list.dispatch({ type: "rows_patched", ids: was, patch: { unread: true } });
      list.dispatch({ type: "rows_patched", ids: wasNot, patch: { unread: false } });
    }
  }

  /** The store did it. */
  #settle(action: BulkAction, ids: readonly string[]): void {
    const { list, archived, trash, search } = this.#app;
    if (ids.length === 0) return;
    switch (action) {
      case "archive":
        list.dispatch({ type: "rows_gone", ids, at: list.next() });
        archived.forget();
        break;
      case "trash":
        list.dispatch({ type: "rows_gone", ids, at: list.next() });
        archived.removeAll(ids);
        trash.forget();
        break;
      case "purge":
        list.dispatch({ type: "rows_gone", ids, at: list.next() });
        archived.setBusyAll(ids, false);
        archived.removeAll(ids);
        this.#app.leave(ids);
        break;
      case "unarchive":
        archived.setBusyAll(ids, false);
        archived.removeAll(ids);
        list.dispatch({ type: "rows_kept", ids });
        void list.changed(ids);
        break;
      case "restore":
        trash.removeAll(ids);
        archived.forget();
        list.dispatch({ type: "rows_kept", ids });
        void list.changed(ids);
        break;
      case "mark_read":
      case "mark_unread":
        archived.patchAll(ids, { unread: action === "mark_unread" });
        break;
    }
    list.refreshCounts();
    if (search.active) void search.run();
    this.#app.renewOpen(ids);
  }

  #sayRefused(words: Words, answer: SessionBulkResponse): void {
    const [first] = answer.refused;
    if (!first) return;
    const title = words.refused(formatCount(answer.refused.length));
    this.#app.toast({ kind: words.failedKind, title, detail: first.error.message });
  }

  #unread(ids: readonly string[]): ReadonlySet<string> {
    const { pinned, rest } = this.#app.list.state;
    const meant = new Set(ids);
    const unread = [...pinned, ...rest].filter((row) => row.unread && meant.has(row.id));
    return new Set(unread.map((row) => row.id));
  }

  #titleOf(id: string | undefined): string {
    const { list, archived } = this.#app;
    const row = [...list.state.pinned, ...list.state.rest, ...archived.rows].find((one) => one.id === id);
    return row ? titleOf(row) : "";
  }
}
