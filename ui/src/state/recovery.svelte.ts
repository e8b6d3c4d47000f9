/** "Recover what reads": asked for, running, and how it ended. Shown until somebody leaves it. */
import type { RecoveryStatus } from "../ipc";
import { toIpcError, type Platform } from "../platform";

const HUNDRED_MB = 100_000_000;
/** Bytes of a store that are read, written and indexed anew in a minute, on a slow disk. */
const A_MINUTE = 700_000_000;
/** An estimate of the time left means nothing before this. */
const TRUST_AFTER_MS = 1_500;

/** Whole minutes that a recovery of so many bytes takes, about; 0: less than one. */
export function minutesFor(bytes: number): number {
  return bytes < HUNDRED_MB ? 0 : Math.ceil(bytes / A_MINUTE);
}

/** Where the reading of one table began: what is left is told from there. */
export interface Pace {
  table: string;
  at: number;
  done: number;
}

/** The pace after one more report, and the milliseconds left for this table; `null` while nothing can be said. */
export function follow(
  pace: Pace | null,
  progress: { table: string; done: number; total: number },
  now: number,
): { pace: Pace; rest: number | null } {
  const same = pace !== null && pace.table === progress.table && progress.done >= pace.done;
  const from = same ? pace : { table: progress.table, at: now, done: progress.done };
  const gained = progress.done - from.done;
  const spent = now - from.at;
  const left = Math.max(0, progress.total - progress.done);
  return { pace: from, rest: gained > 0 && spent >= TRUST_AFTER_MS ? (spent / gained) * left : null };
}

export class StoreRecovery {
  status = $state.raw<RecoveryStatus>({ state: "idle" });
  /** The question before it stands. */
  asking = $state(false);
  /** It has the window: it runs, or its end was not left yet. */
  shown = $state(false);
  /** Estimated time to the end of the table at hand, in milliseconds. */
  rest = $state<number | null>(null);

  #platform: Platform;
  #now: () => number;
  #pace: Pace | null = null;
  /** How many answers and events were taken: a late one finds out that it is late. */
  #taken = 0;

  constructor(platform: Platform, now: () => number = () => Date.now()) {
    this.#platform = platform;
    this.#now = now;
  }

  /** How far the table at hand is, 0 to 100; `null` while it is not known. */
  get percent(): number | null {
    if (this.status.state !== "running" || this.status.progress.total <= 0) return null;
    const { done, total } = this.status.progress;
    return Math.min(100, Math.floor((done / total) * 100));
  }

  ask(): void {
    this.asking = true;
  }

  decline(): void {
    this.asking = false;
  }

  /** Whether one runs already, started before this page was. */
  async look(): Promise<void> {
    const taken = this.#taken;
    try {
      const status = await this.#platform.call("recovery_status", {});
      if (taken === this.#taken && status.state === "running") this.#take(status);
    } catch {
      // Then none is shown; its first event shows it.
    }
  }

  async start(): Promise<void> {
    this.asking = false;
    if (this.status.state === "running") return;
    this.#take({ state: "running", progress: { table: "", done: 0, total: 0 } });
    const taken = this.#taken;
    try {
      const answer = await this.#platform.call("recovery_start", {});
      // A short one may have ended, by its events, before this answer.
      if (taken === this.#taken) this.#take(answer);
    } catch (error) {
      this.#take({ state: "failed", error: toIpcError(error) });
    }
  }

  async cancel(): Promise<void> {
    try {
      this.#take(await this.#platform.call("recovery_cancel", {}));
    } catch (error) {
      this.#take({ state: "failed", error: toIpcError(error) });
    }
  }

  /** From the event stream. The report is read by command: an event does not hold it. */
  async changed(status: RecoveryStatus): Promise<void> {
    if (status.state !== "done") {
      this.#take(status);
      return;
    }
    const taken = ++this.#taken;
    try {
      const whole = await this.#platform.call("recovery_status", {});
      if (taken === this.#taken) this.#take(whole);
    } catch {
      if (taken === this.#taken) this.#take(status);
    }
  }

  /** Its end was read: back to the sessions, or to the page it was started from. */
  leave(): void {
    this.shown = false;
    this.status = { state: "idle" };
  }

  #take(status: RecoveryStatus): void {
    this.#taken += 1;
    this.status = status;
    this.rest = null;
    if (status.state === "running") {
      this.shown = true;
      const { pace, rest } = follow(this.#pace, status.progress, this.#now());
      this.#pace = pace;
      this.rest = rest;
      return;
    }
    this.#pace = null;
    // Cancelled: everything is as it was. An end that nobody here waited for is nobody's news.
    if (status.state === "idle") this.shown = false;
  }
}
