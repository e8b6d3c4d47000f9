/** Words of one session row. Pure. */
import type { SessionRow } from "../ipc";
import { spokenAge } from "../lib/format";
import { approvalTexts, shell } from "../lib/texts";

/** Title, else preview, else words that say there is neither. */
export function titleOf(row: SessionRow): string {
  return row.title ?? row.preview ?? shell.untitled;
}

/** The accessible name: title, states, age. */
export function nameOf(row: SessionRow, now: number): string {
  const states = [
    row.running ? shell.running : null,
    row.unread ? shell.unread : null,
    row.approvals > 0 ? approvalTexts.waiting(row.approvals) : null,
    row.archived ? shell.archivedState : null,
  ];
  return [titleOf(row), ...states, spokenAge(row.last_active, now)]
    .filter((part) => part !== null)
    .join(", ");
}
