/** Bringing in a Hermes store: what is there, how far it is, how it ended. */
import type { ImportProbe, ImportStatus, IpcError } from "../ipc";
import { toIpcError, type Platform } from "../platform";

export type ProbeState =
  | { state: "looking" }
  | { state: "none" }
  | { state: "found"; probe: ImportProbe; chosen: boolean }
  | { state: "unreadable"; error: IpcError };

/** A file that was chosen and cannot be read in. */
export interface Refused {
  path: string | null;
  error: IpcError;
}

export class HermesImport {
  /** The store that an import would read. */
  probe = $state.raw<ProbeState>({ state: "looking" });
  /** The last other file, when it was not good; the offer before it stands. */
  refused = $state.raw<Refused | null>(null);
  /** A dialog is open, or the file chosen in it is being read. */
  choosing = $state(false);
  status = $state.raw<ImportStatus>({ state: "idle" });
  skipped = $state(false);
  /** Estimated time to the end of a running import, in milliseconds. */
  rest = $state<number | null>(null);

  #platform: Platform;
  #now: () => number;
  /** What an import reads, when it is not the store in its usual place. */
  #path = $state<string | undefined>();
  #found = $state.raw<ImportProbe | null>(null);
  #began: { at: number; done: number } | null = null;
  #onEnd: (status: ImportStatus) => void;
  #taken = 0;

  constructor(
    platform: Platform,
    onEnd: (status: ImportStatus) => void,
    now: () => number = () => Date.now(),
  ) {
    this.#platform = platform;
    this.#onEnd = onEnd;
    this.#now = now;
  }

  /** How far a running import is, 0 to 100; `null` while it is not known. */
  get percent(): number | null {
    if (this.status.state !== "running" || this.status.progress.total <= 0) return null;
    return Math.floor((this.status.progress.done / this.status.progress.total) * 100);
  }

  /** Whether the offer is another file than the one in the usual place, and that one is there too. */
  get canGoBack(): boolean {
    return this.#path !== undefined && this.#found !== null;
  }

  /** Looks for the store in its usual places, and whether an import runs already. */
  async look(): Promise<void> {
    try {
      this.#take(await this.#platform.call("import_status", {}));
    } catch {
      // The probe below meets the same fault and has the words for it.
    }
    if (this.status.state === "running" && this.probe.state === "found") return;
    this.refused = null;
    this.#path = undefined;
    if (this.#found === null) this.probe = { state: "looking" };
    try {
      this.#found = await this.#platform.call("import_probe", {});
      this.probe = { state: "found", probe: this.#found, chosen: false };
    } catch (error) {
      const failure = toIpcError(error);
      this.#found = null;
      const absent = failure.code === "missing" || failure.code === "not_found";
      this.probe = absent ? { state: "none" } : { state: "unreadable", error: failure };
    }
  }

  /** Lets the user choose another file by the system's dialog. Closed, or not a good file: the offer stays as it was. */
  async choose(): Promise<void> {
    if (this.choosing) return;
    this.choosing = true;
    let path: string | null = null;
    try {
      path = (await this.#platform.call("import_choose", {})).path ?? null;
      this.refused = null;
      if (path === null) return;
      const probe = await this.#platform.call("import_probe", { path });
      this.#path = path;
      this.probe = { state: "found", probe, chosen: true };
      this.status = { state: "idle" };
      this.skipped = false;
    } catch (error) {
      const failure = toIpcError(error);
      this.refused = failure.code === "cancelled" ? null : { path, error: failure };
    } finally {
      this.choosing = false;
    }
  }

  /** Offers the store in its usual place again. */
  goBack(): void {
    if (this.#found === null) return;
    this.#path = undefined;
    this.refused = null;
    this.probe = { state: "found", probe: this.#found, chosen: false };
    if (this.status.state !== "running") this.status = { state: "idle" };
  }

  async start(): Promise<void> {
    this.skipped = false;
    this.refused = null;
    this.#began = null;
    this.rest = null;
    this.status = { state: "running", progress: { done: 0, total: 0, current: null } };
    const taken = this.#taken;
    try {
      const answer = await this.#platform.call("import_start", this.#request());
      // A short import may have ended, by its events, before this answer.
      if (taken === this.#taken) this.#take(answer);
    } catch (error) {
      this.#take({ state: "failed", error: toIpcError(error) });
    }
  }

  async cancel(): Promise<void> {
    try {
      this.#take(await this.#platform.call("import_cancel", {}));
    } catch (error) {
      this.status = { state: "failed", error: toIpcError(error) };
    }
  }

  /** From the event stream. The whole report is read by command: an event may hold only part of it. */
  async changed(status: ImportStatus): Promise<void> {
    if (status.state !== "done") {
      this.#take(status);
      return;
    }
    try {
      this.#take(await this.#platform.call("import_status", {}));
    } catch {
      this.#take(status);
    }
  }

  #request(): { path?: string } {
    return this.#path === undefined ? {} : { path: this.#path };
  }

  #take(status: ImportStatus): void {
    const ended = this.status.state === "running" && status.state !== "running";
    this.#taken += 1;
    this.status = status;
    if (status.state === "running") {
      const { done, total } = status.progress;
      if (total === 0) return;
      this.#began ??= { at: this.#now(), done };
      const gained = done - this.#began.done;
      const spent = this.#now() - this.#began.at;
      this.rest = gained > 0 && spent > 1_500 ? (spent / gained) * (total - done) : null;
    }
    if (ended) this.#onEnd(status);
  }
}
