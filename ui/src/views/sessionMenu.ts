/** The menu of a session, the same from its row, its search result and the chat's header. */
import Archive from "@lucide/svelte/icons/archive";
import ArchiveRestore from "@lucide/svelte/icons/archive-restore";
import AppWindow from "@lucide/svelte/icons/app-window";
import CopyPlus from "@lucide/svelte/icons/copy-plus";
import Download from "@lucide/svelte/icons/download";
import GitBranch from "@lucide/svelte/icons/git-branch";
import Circle from "@lucide/svelte/icons/circle";
import CircleDot from "@lucide/svelte/icons/circle-dot";
import Hash from "@lucide/svelte/icons/hash";
import MessageSquare from "@lucide/svelte/icons/message-square";
import FoldVertical from "@lucide/svelte/icons/fold-vertical";
import Undo2 from "@lucide/svelte/icons/undo-2";
import Pencil from "@lucide/svelte/icons/pencil";
import Pin from "@lucide/svelte/icons/pin";
import PinOff from "@lucide/svelte/icons/pin-off";
import SquareCheck from "@lucide/svelte/icons/square-check";
import Trash2 from "@lucide/svelte/icons/trash-2";
import type { SessionRow } from "../ipc";
import { keys } from "../lib/keys";
import { copies, lists, liveTexts, shell, trouble } from "../lib/texts";
import type { MenuEntry } from "../shared/menu";
import type { App } from "../state/app.svelte";
import { askCompress, askUndo } from "./questions";

export interface SessionMenuHooks {
  /** The menu of a row of the sidebar, whose keys are at hand. */
  inList: boolean;
  onOpen: (row: SessionRow) => void;
  onRename: (row: SessionRow) => void;
  onDelete: (row: SessionRow) => void;
  /** Starts selection mode; absent where the row is not in the list. */
  onSelect?: ((row: SessionRow) => void) | undefined;
  onExport: (row: SessionRow) => void;
}

export function sessionMenu(app: App, row: SessionRow, hooks: SessionMenuHooks): MenuEntry[] {
  const names = keys(app.boot?.platform ?? "linux");
  const { actions } = app;
  const reason = app.readOnly ? trouble.readOnlyReason : undefined;
  // Single letters act in the list; elsewhere they would promise what they do not do.
  const key = (name: string) => (hooks.inList ? { shortcut: name } : {});
  const copyId: MenuEntry = {
    kind: "entry",
    label: shell.menuCopyId,
    icon: Hash,
    run: () => void actions.copy(row.id, shell.toastIdCopied),
  };
  // A sub-agent's session is renamed, archived and deleted with the session that started it.
  if (app.list.apart.has(row.id)) return [copyId];
  const openWindow: MenuEntry = {
    kind: "entry",
    label: liveTexts.openInWindow,
    icon: AppWindow,
    ...key(names.openWindow),
    run: () => void app.turns.openWindow(row.id),
  };
  return [
    // Over the open session itself there is nothing to open.
    ...(hooks.inList || app.open.session?.id !== row.id
      ? [
          {
            kind: "entry" as const,
            label: shell.menuOpen,
            icon: MessageSquare,
            ...key(names.open),
            run: () => hooks.onOpen(row),
          },
        ]
      : []),
    // The window of the session is this one.
    ...(app.alone === null ? [openWindow, { kind: "line" as const }] : []),
    // An archived session has no place among the pinned ones.
    ...(row.archived
      ? []
      : [
          {
            kind: "entry" as const,
            label: row.pinned ? shell.menuUnpin : shell.menuPin,
            icon: row.pinned ? PinOff : Pin,
            reason,
            run: () => void actions.pin(row, !row.pinned),
          },
        ]),
    {
      kind: "entry",
      label: shell.menuRename,
      icon: Pencil,
      ...key(names.rename),
      reason,
      run: () => hooks.onRename(row),
    },
    {
      kind: "entry",
      label: row.unread ? shell.menuMarkRead : shell.menuMarkUnread,
      icon: row.unread ? Circle : CircleDot,
      ...key(names.unread),
      reason,
      run: () => void actions.mark(row, !row.unread),
    },
    ...(hooks.onSelect && !app.picked.active
      ? [
          {
            kind: "entry" as const,
            label: lists.select,
            icon: SquareCheck,
            shortcut: names.select,
            run: () => hooks.onSelect?.(row),
          },
        ]
      : []),
    ...turnEntries(app, row),
    { kind: "line" },
    // Without a message there is nothing to begin from.
    ...(row.message_count === 0
      ? []
      : [
          {
            kind: "entry" as const,
            label: copies.menuBranch,
            icon: GitBranch,
            reason,
            run: () => void app.copies.branch(row),
          },
        ]),
    {
      kind: "entry",
      label: copies.menuDuplicate,
      icon: CopyPlus,
      reason,
      run: () => void app.copies.duplicate(row),
    },
    { kind: "entry", label: copies.menuExport, icon: Download, run: () => hooks.onExport(row) },
    copyId,
    { kind: "line" },
    row.archived
      ? {
          kind: "entry",
          label: shell.menuUnarchive,
          icon: ArchiveRestore,
          reason,
          run: () => void actions.unarchive(row),
        }
      : {
          kind: "entry",
          label: shell.menuArchive,
          icon: Archive,
          ...key(names.archive),
          reason,
          run: () => void actions.archive(row),
        },
    {
      kind: "entry",
      label: shell.menuDelete,
      icon: Trash2,
      ...key(names.delete),
      danger: true,
      reason,
      run: () => hooks.onDelete(row),
    },
  ];
}

/** What changes the conversation itself, of the session that is open here. */
function turnEntries(app: App, row: SessionRow): MenuEntry[] {
  const live = app.live.at(row.id);
  if (app.readOnly || live === null || app.open.session?.id !== row.id || row.message_count === 0) return [];
  const reason = live.session.state === "idle" ? undefined : liveTexts.whileRunning;
  return [
    { kind: "line" },
    {
      kind: "entry",
      label: liveTexts.undoExchange,
      icon: Undo2,
      reason,
      run: () => askUndo(app),
    },
    {
      kind: "entry",
      label: liveTexts.compress,
      icon: FoldVertical,
      reason: reason ?? (app.model.connected ? undefined : liveTexts.needsModel),
      run: () => askCompress(app),
    },
  ];
}
