/** The menu of a group of the sidebar. */
import Archive from "@lucide/svelte/icons/archive";
import CheckCheck from "@lucide/svelte/icons/check-check";
import ChevronDown from "@lucide/svelte/icons/chevron-down";
import ChevronRight from "@lucide/svelte/icons/chevron-right";
import SquarePen from "@lucide/svelte/icons/square-pen";
import { lists, shell, trouble } from "../lib/texts";
import type { MenuEntry } from "../shared/menu";
import type { App } from "../state/app.svelte";
import { groupKey, type GroupItem } from "../state/items";

export interface GroupMenuHooks {
  onNew: (folder: string | null) => void;
  onArchive: (group: GroupItem) => void;
}

export function groupMenu(app: App, group: GroupItem, hooks: GroupMenuHooks): MenuEntry[] {
  const folder = groupKey(group.folder);
  const others = app.settings.closed_groups.filter((closed) => closed !== folder);
  const reason = app.readOnly ? trouble.readOnlyReason : undefined;
  return [
    {
      kind: "entry",
      label: group.folder === null ? shell.newSessionNoFolder : shell.newSessionIn(group.label),
      icon: SquarePen,
      reason,
      run: () => hooks.onNew(group.folder),
    },
    {
      kind: "entry",
      label: group.closed ? lists.openGroup : lists.closeGroup,
      icon: group.closed ? ChevronDown : ChevronRight,
      run: () => void app.change({ closed_groups: group.closed ? others : [...others, folder] }),
    },
    { kind: "line" },
    {
      kind: "entry",
      label: lists.markAllRead,
      icon: CheckCheck,
      reason,
      run: () => void app.bulk.inWorkspace("mark_read", folder),
    },
    {
      kind: "entry",
      label: group.folder === null ? lists.archiveInNoFolder : lists.archiveInFolder,
      icon: Archive,
      reason,
      run: () => hooks.onArchive(group),
    },
  ];
}
