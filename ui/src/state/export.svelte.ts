/** Files made from sessions: how far an export is, how it ended. At most one runs. */
import type { ExportFormat, ExportReport, ExportStatus } from "../ipc";
import { formatCount } from "../lib/format";
import { cutMiddle, lastPart } from "../lib/paths";
import { copies as texts } from "../lib/texts";
import { toIpcError, type Platform } from "../platform";

/** What is exported: one session, or all of them. */
export interface Exported {
  id: string | null;
  title: string;
}

type Tell = (toast: {
  kind: "done" | "failed";
  title: string;
  detail: string;
  retry?: (() => void) | null;
}) => void;

/** Letters of a path in a toast. */
const MOST_OF_PATH = 64;
const MOST_NAMED = 3;

export class SessionExport {
  status = $state.raw<ExportStatus>({ state: "idle" });
  /** What runs; `null`: one that a page before this one started. */
  what = $state.raw<Exported | null>(null);

  #platform: Platform;
  #tell: Tell;
  #taken = 0;
  #cancelled = false;

  constructor(platform: Platform, tell: Tell) {
    this.#platform = platform;
    this.#tell = tell;
  }

  get running(): boolean {
    return this.status.state === "running";
  }

  /** 0 to 100; `null` while it is not known. */
  get percent(): number | null {
    if (this.status.state !== "running" || this.status.progress.total <= 0) return null;
    return Math.floor((this.status.progress.done / this.status.progress.total) * 100);
  }

  /** How far it is, in words. */
  get words(): string {
    if (this.status.state !== "running" || this.status.progress.total <= 0) return "";
    const { done, total } = this.status.progress;
    const unit = this.what === null ? null : this.what.id === null ? "session" : "message";
    return texts.progress(formatCount(done), formatCount(total), unit);
  }

  /** Whether one runs already: a page that was loaded anew finds it again. */
  async look(): Promise<void> {
    try {
      const status = await this.#platform.call("export_status", {});
      // The end of one that ended before is old news.
      if (status.state === "running") this.#take(status);
    } catch {
      // Nothing to show; a new export says what is wrong.
    }
  }

  /** The host asks where to. Closing its dialog does nothing. */
  async start(what: Exported, format: ExportFormat): Promise<void> {
    if (this.running) return;
    this.what = what;
    this.#cancelled = false;
    const taken = this.#taken;
    try {
      const status = await this.#platform.call("export_start", {
        ...(what.id === null ? {} : { id: what.id }),
        format,
      });
      // A short export may have ended, by its events, before this answer.
      if (taken === this.#taken && status.state !== "idle") this.#take(status);
    } catch (error) {
      this.#failed(toIpcError(error).message, () => void this.start(what, format));
    }
  }

  async cancel(): Promise<void> {
    this.#cancelled = true;
    try {
      this.#take(await this.#platform.call("export_cancel", {}));
    } catch (error) {
      this.#failed(toIpcError(error).message, null);
    }
  }

  /** From the event stream. The whole report is read by command: an event may hold only part of it. */
  async changed(status: ExportStatus): Promise<void> {
    if (status.state !== "done") {
      this.#take(status);
      return;
    }
    try {
      this.#take(await this.#platform.call("export_status", {}));
    } catch {
      this.#take(status);
    }
  }

  #take(status: ExportStatus): void {
    const before = this.status;
    this.#taken += 1;
    this.status = status;
    if (status.state === "running" || status.state === before.state) return;
    if (status.state === "done") this.#done(status.report);
    else if (status.state === "failed") this.#failed(status.error.message, null);
    else if (this.#cancelled) this.#tell({ kind: "done", title: texts.exportCancelled, detail: "" });
  }

  #done({ path, skipped }: ExportReport): void {
    const shown = cutMiddle(path, MOST_OF_PATH);
    if (skipped.length === 0) {
      this.#tell({ kind: "done", title: texts.exportedTo(lastPart(path)), detail: shown });
      return;
    }
    const named = skipped.slice(0, MOST_NAMED).join("; ");
    this.#tell({
      kind: "failed",
      title: texts.exportIncomplete,
      detail: texts.exportSkipped(formatCount(skipped.length), named, skipped.length > MOST_NAMED, shown),
    });
  }

  #failed(message: string, retry: (() => void) | null): void {
    this.#tell({ kind: "failed", title: texts.exportFailed, detail: message, retry });
  }
}
