/** The questions before something is done to one session or to a whole folder. */
import type { SessionRow } from "../ipc";
import { formatCount } from "../lib/format";
import { liveTexts, lists, shell } from "../lib/texts";
import { toIpcError } from "../platform";
import type { App } from "../state/app.svelte";
import type { GroupItem } from "../state/items";
import { titleOf } from "../state/session";

export function askDelete(app: App, row: SessionRow): void {
  app.question = {
    title: shell.deleteQuestion(titleOf(row)),
    name: titleOf(row),
    detail: shell.deleteQuestionHint,
    confirm: shell.delete,
    run: () => void app.actions.trash(row),
  };
}

export function askPurge(app: App, row: SessionRow): void {
  app.question = {
    title: shell.purgeQuestion(titleOf(row)),
    name: titleOf(row),
    confirm: shell.purge,
    run: () => void app.actions.purge(row),
  };
}

/** With the number that the store will take: those without a message, which the list may leave out, are among them. */
export async function askArchiveGroup(app: App, group: GroupItem): Promise<void> {
  let count = group.count;
  try {
    const answer = await app.platform.call("workspace_list", { min_messages: 0 });
    count = answer.groups.find((other) => other.folder === group.folder)?.count ?? 0;
  } catch (error) {
    app.toast({ kind: "archive_failed", title: shell.archiveFailed, detail: toIpcError(error).message });
    return;
  }
  if (count === 0) {
    app.toast({ kind: "done", title: lists.nothingInGroup, detail: "" });
    return;
  }
  const n = formatCount(count);
  const empty = count - group.count;
  app.question = {
    title: group.folder === null ? lists.archiveManyNoFolder(n) : lists.archiveManyIn(n, group.label),
    name: group.label,
    detail: [empty > 0 ? lists.archiveManyEmpty(formatCount(empty)) : null, lists.archiveManyHint]
      .filter((part) => part !== null)
      .join(" "),
    confirm: lists.archiveMany(n),
    calm: true,
    run: () => void app.bulk.inWorkspace("archive", group.folder ?? ""),
  };
}

/** Takes the last exchange of the open session back; its prompt goes to the composer. */
export function askUndo(app: App): void {
  const { key } = app.open;
  app.question = {
    title: liveTexts.undoQuestion,
    detail: liveTexts.undoHint,
    confirm: liveTexts.undo,
    run: () =>
      void app.turns.undo(app.seat).then((text) => {
        if (text !== null && app.open.key === key) app.offered = { text };
      }),
  };
}

export function askCompress(app: App): void {
  app.question = {
    title: liveTexts.compressQuestion,
    detail: liveTexts.compressHint,
    confirm: liveTexts.compressConfirm,
    calm: true,
    run: () => void app.turns.compress(app.seat),
  };
}
