/** A list that loads page after page as it is scrolled: archived sessions and the trash. */
import type { IpcError, SessionListResponse, SessionRow } from "../ipc";
import { toIpcError } from "../platform";

export type PageSource = (query: string, cursor: string | null) => Promise<SessionListResponse>;

export class PagedRows {
  rows = $state.raw<readonly SessionRow[]>([]);
  /** Everything in the list, not only what was loaded; `null` before the first answer. */
  count = $state<number | null>(null);
  query = $state("");
  loading = $state(false);
  loaded = $state(false);
  complete = $state(false);
  /** Looking for short words took too long: there may be more than what is here. */
  stopped = $state(false);
  error = $state.raw<IpcError | null>(null);
  /** Rows with an action under way. */
  busy = $state.raw<ReadonlySet<string>>(new Set());

  #source: PageSource;
  #count: (answer: SessionListResponse) => number;
  #cursor: string | null = null;
  #run = 0;
  /** Taken away here: an answer asked for earlier does not bring them back. */
  #removed = new Map<string, number>();

  constructor(source: PageSource, count: (answer: SessionListResponse) => number) {
    this.#source = source;
    this.#count = count;
  }

  /** How many rows there are, also those not loaded; `null` while a search has not read all of them. */
  get total(): number | null {
    if (this.complete) return this.rows.length;
    return this.query.trim() === "" ? this.count : null;
  }

  /** From the first page on. What is shown stays until the answer is there. */
  async load(query = this.query): Promise<void> {
    this.query = query;
    this.#cursor = null;
    await this.#fetch(true, 0);
  }

  /** Anew, as far as it was loaded: who has scrolled down keeps what is in view. */
  async renew(): Promise<void> {
    this.#cursor = null;
    await this.#fetch(true, this.rows.length);
  }

  /** The next page, unless one is on its way or none is left. */
  async more(): Promise<void> {
    if (this.loading || this.complete || !this.loaded || this.error) return;
    await this.#fetch(false, 0);
  }

  async retry(): Promise<void> {
    await this.#fetch(!this.loaded || this.#cursor === null, 0);
  }

  /** Something was added elsewhere: the next time it is shown it loads anew. */
  forget(): void {
    this.#run += 1;
    this.loaded = false;
    this.loading = false;
    this.complete = false;
  }

  setBusy(id: string, on: boolean): void {
    const next = new Set(this.busy);
    if (on) next.add(id);
    else next.delete(id);
    this.busy = next;
  }

  setBusyAll(ids: readonly string[], on: boolean): void {
    const next = new Set(this.busy);
    for (const id of ids) {
      if (on) next.add(id);
      else next.delete(id);
    }
    this.busy = next;
  }

  remove(id: string): void {
    this.#removed.set(id, this.#run);
    if (!this.rows.some((row) => row.id === id)) return;
    this.rows = this.rows.filter((row) => row.id !== id);
    if (this.count !== null) this.count = Math.max(0, this.count - 1);
  }

  /** These were in the list, loaded or not, and went away. Asks again when more is left than what is shown. */
  removeAll(ids: readonly string[]): void {
    const gone = new Set(ids);
    for (const id of ids) this.#removed.set(id, this.#run);
    const before = this.rows.length;
    this.rows = this.rows.filter((row) => !gone.has(row.id));
    if (before === this.rows.length) return;
    if (this.count !== null) this.count = Math.max(0, this.count - gone.size);
    // Where the next page begins was counted with them in it.
    if (!this.complete) void this.renew();
  }

  /** The same change to rows in their places. */
  patchAll(ids: readonly string[], patch: Partial<SessionRow>): void {
    const meant = new Set(ids);
    this.rows = this.rows.map((row) => (meant.has(row.id) ? { ...row, ...patch } : row));
  }

  /** The ids of every row that the list and its search hold, also of those that are not loaded. */
  async allIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: SessionListResponse = await this.#source(this.query, cursor);
      for (const row of page.rows) ids.push(row.id);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return ids;
  }

  /** A row as it is now; in place when it is shown, else nothing. */
  patch(row: SessionRow): void {
    const index = this.rows.findIndex((other) => other.id === row.id);
    if (index >= 0) this.rows = this.rows.with(index, row);
  }

  /** The next page, or from the first one on until `least` rows are there. They are swapped in at once. */
  async #fetch(first: boolean, least: number): Promise<void> {
    const run = ++this.#run;
    this.loading = true;
    this.error = null;
    let stopped = false;
    try {
      const fresh: SessionRow[] = [];
      const known = new Set(first ? [] : this.rows.map((row) => row.id));
      let cursor = first ? null : this.#cursor;
      do {
        const page = await this.#source(this.query, cursor);
        if (run !== this.#run) return;
        for (const row of page.rows) {
          if (known.has(row.id)) continue;
          known.add(row.id);
          fresh.push(row);
        }
        cursor = page.next_cursor;
        stopped ||= page.stopped_early;
        this.count = this.#count(page);
      } while (cursor !== null && fresh.length < least);
      const kept = fresh.filter((row) => !this.#wentAfter(row.id, run));
      this.rows = first ? kept : [...this.rows, ...kept];
      this.#cursor = cursor;
      this.complete = cursor === null;
      this.stopped = stopped || (!first && this.stopped);
      this.loaded = true;
    } catch (error) {
      if (run !== this.#run) return;
      this.error = toIpcError(error);
    } finally {
      if (run === this.#run) this.loading = false;
    }
  }

  #wentAfter(id: string, run: number): boolean {
    const at = this.#removed.get(id);
    return at !== undefined && at >= run;
  }
}
