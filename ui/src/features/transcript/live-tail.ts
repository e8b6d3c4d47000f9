/** Whether something stands behind the last row of a live session. Pure. */
import type { LiveView } from "../../state/live";

export function hasTail({ session, settling }: LiveView): boolean {
  return (
    session.state !== "idle" ||
    settling !== null ||
    session.text !== "" ||
    session.reasoning !== "" ||
    session.calls.length > 0 ||
    session.approvals.length > 0 ||
    session.problem !== null ||
    session.waiting !== null
  );
}
