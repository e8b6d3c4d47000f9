/**
 * A live session as this window follows it: the host's record, brought on by numbered changes. Pure.
 *
 * A change counts only when its number is the next one; an older one is in the record already, a later one says that
 * something is missing: then the record is asked for anew, and what comes meanwhile waits for it.
 */
import type { LiveCall } from "../ipc/generated/LiveCall";
import type { LiveChange } from "../ipc/generated/LiveChange";
import type { LiveSession } from "../ipc/generated/LiveSession";

/** What was stored and is not read yet: it stays in view until its rows stand in the transcript. */
export interface Settling {
  text: string;
  reasoning: string;
  calls: readonly LiveCall[];
}

export interface LiveView {
  session: LiveSession;
  settling: Settling | null;
  /** Grows whenever the transcript changed on disk: its rows are to be read. */
  stored: number;
  /** The record has holes: `live_get` is to be asked. */
  behind: boolean;
  /** Changes that wait for the record they belong to. */
  early: readonly Numbered[];
}

export interface Numbered {
  rev: number;
  change: LiveChange;
}

/** Changes that may wait; with more of them, the record is asked for once more. */
const MOST_EARLY = 512;
/** Characters of a call's output that are kept, as the host keeps them. */
const MOST_OUTPUT = 16 * 1024;

export function viewOf(session: LiveSession): LiveView {
  return { session, settling: null, stored: 0, behind: false, early: [] };
}

/** The record after a change, or "refetch". A change that it holds already leaves it as it is. */
export function reduceLive(session: LiveSession, { rev, change }: Numbered): LiveSession | "refetch" {
  if (rev <= session.rev) return session;
  if (rev !== session.rev + 1 || change.change === "refetch") return "refetch";
  return { ...session, ...changed(session, change), rev };
}

function changed(
  session: LiveSession,
  change: Exclude<LiveChange, { change: "refetch" }>,
): Partial<LiveSession> {
  switch (change.change) {
    case "state":
      return { state: change.state, since: change.since };
    case "text":
      return { text: session.text + change.append };
    case "reasoning":
      return { reasoning: session.reasoning + change.append };
    case "stored":
      return {
        session_id: change.session_id,
        calls: session.calls.filter((call) => !change.ended.includes(call.call_id)),
        ...(change.answer ? { text: "", reasoning: "" } : {}),
      };
    case "call": {
      const at = session.calls.findIndex((call) => call.call_id === change.call.call_id);
      return { calls: at < 0 ? [...session.calls, change.call] : session.calls.with(at, change.call) };
    }
    case "output":
      return {
        calls: session.calls.map((call) =>
          call.call_id === change.call_id
            ? { ...call, output: (call.output + change.append).slice(-MOST_OUTPUT) }
            : call,
        ),
      };
    case "queued":
      return { queued: change.text };
    case "asked":
      return { approvals: [...session.approvals, change.approval] };
    case "answered":
      return { approvals: session.approvals.filter(({ id }) => id !== change.approval_id) };
    case "problem":
      return { problem: change.problem };
    case "usage":
      return { usage: change.usage };
    case "model":
      return { model: change.model };
    case "waiting":
      return { waiting: change.words };
  }
}

/** A change came. */
export function follow(view: LiveView, numbered: Numbered): LiveView {
  if (view.behind) return wait(view, numbered);
  const next = reduceLive(view.session, numbered);
  if (next === view.session) return view;
  if (next === "refetch") return wait({ ...view, behind: true }, numbered);
  if (numbered.change.change !== "stored") return { ...view, session: next };
  return {
    ...view,
    session: next,
    stored: view.stored + 1,
    settling: settle(view, numbered.change),
  };
}

function wait(view: LiveView, numbered: Numbered): LiveView {
  const early = [...view.early, numbered];
  // Those that fall out leave a hole behind the record that is asked for, which asks again.
  return { ...view, early: early.length > MOST_EARLY ? early.slice(-MOST_EARLY) : early };
}

function settle(view: LiveView, stored: Extract<LiveChange, { change: "stored" }>): Settling | null {
  const { session, settling } = view;
  const calls = session.calls.filter((call) => stored.ended.includes(call.call_id));
  const answer = stored.answer && session.text + session.reasoning !== "";
  if (calls.length === 0 && !answer) return settling;
  const before = settling ?? { text: "", reasoning: "", calls: [] };
  return {
    text: answer ? joined(before.text, session.text) : before.text,
    reasoning: answer ? joined(before.reasoning, session.reasoning) : before.reasoning,
    calls: [...before.calls, ...calls],
  };
}

function joined(before: string, after: string): string {
  return before === "" || after === "" ? before + after : `${before}\n\n${after}`;
}

/** The host's record came. An older one than what is known changes nothing. */
export function resync(view: LiveView, session: LiveSession): LiveView {
  if (session.rev < view.session.rev) return view;
  const known = session.rev === view.session.rev && !view.behind;
  const fresh: LiveView = {
    ...view,
    session,
    // What a record leaves out may have been stored: the rows say.
    stored: known ? view.stored : view.stored + 1,
    settling: known ? view.settling : null,
    behind: false,
    early: [],
  };
  return view.early.reduce(follow, fresh);
}

/** The rows stand in the transcript as they were when `stored` was this number. */
export function settled(view: LiveView, stored: number): LiveView {
  return view.settling === null || stored < view.stored ? view : { ...view, settling: null };
}

/** A turn is under way, or the summary of a compression. */
export function isBusy(session: LiveSession): boolean {
  return session.state !== "idle";
}
