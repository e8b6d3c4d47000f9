/** The sidebar's list: asks the store page after page and feeds the reducer. Knows nothing of the page. */
import type { SessionRow } from "../ipc";
import { toIpcError, type Platform } from "../platform";
import { emptyList, reduceList, type ListAction, type ListState } from "./reducer";

const PAGE = 500;
/** More changed rows than this are cheaper to fetch as a list. */
const MOST_SINGLE_ROWS = 20;
const COUNTS_AFTER_MS = 150;

export class SessionList {
  state = $state.raw<ListState>(emptyList);
  /** Sessions of sub-agents, opened from a notice. They belong to the session that started them and are in no list. */
  readonly apart = new Set<string>();
  #platform: Platform;
  #at = 0;
  #showEmpty = false;
  /** Archived sessions, for an empty list to say where they are. */
  archivedCount = $state(0);
  #counts: ReturnType<typeof setTimeout> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** The next place in the order of requests and their answers. */
  next(): number {
    return ++this.#at;
  }

  dispatch(action: ListAction): void {
    this.state = reduceList(this.state, action);
  }

  /** A row as it was at `at`; an empty one that the list leaves out is not put into it. */
  adopt(row: SessionRow, at: number, asked = row.id): void {
    if (this.apart.has(row.id)) return;
    const leftOut = row.message_count === 0 && !row.pinned && !this.#showEmpty;
    if (leftOut && !this.state.rest.some((other) => other.id === row.id)) {
      this.dispatch({ type: "row_missing", id: row.id, at });
    } else {
      this.dispatch({ type: "row_loaded", row, at, asked });
    }
  }

  /** Fetches everything anew; what is known stays in view meanwhile. A second call takes over from the first. */
  async load(showEmpty: boolean): Promise<void> {
    this.#showEmpty = showEmpty;
    const at = this.next();
    this.dispatch({ type: "load_started", at });
    await Promise.all([this.#loadPinned(), this.#loadGroups(), this.#loadPages(at)]);
  }

  /** The numbers and the pinned rows again, soon: several changes in a row ask once. */
  refreshCounts(): void {
    clearTimeout(this.#counts);
    this.#counts = setTimeout(() => {
      void this.#loadPinned();
      void this.#loadGroups();
      void this.#loadHidden();
    }, COUNTS_AFTER_MS);
  }

  /** The ids of every row of the section Sessions, also of those that no page has brought yet. */
  async restIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof this.list>> = await this.list(false, cursor);
      for (const row of page.rows) if (!this.state.gone.has(row.id)) ids.push(row.id);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return ids;
  }

  /** Rows that something else changed; none named means all of them. */
  async changed(ids: readonly string[]): Promise<readonly SessionRow[]> {
    if (ids.length === 0 || ids.length > MOST_SINGLE_ROWS) {
      await this.load(this.#showEmpty);
      return [];
    }
    const rows = await Promise.all(ids.map((id) => this.#loadRow(id)));
    this.refreshCounts();
    return rows.filter((row) => row !== null);
  }

  async #loadRow(id: string): Promise<SessionRow | null> {
    const at = this.next();
    try {
      const row = await this.#platform.call("session_get", { id });
      this.adopt(row, at, id);
      return row;
    } catch (error) {
      if (toIpcError(error).code === "not_found") this.dispatch({ type: "row_missing", id, at });
      return null;
    }
  }

  async #loadPinned(): Promise<void> {
    const at = this.next();
    const rows: SessionRow[] = [];
    let cursor: string | null = null;
    try {
      do {
        const page: Awaited<ReturnType<typeof this.list>> = await this.list(true, cursor);
        rows.push(...page.rows);
        cursor = page.next_cursor;
        this.archivedCount = page.counts.archived;
      } while (cursor !== null);
      this.dispatch({ type: "pinned_loaded", at, rows });
    } catch {
      // The pages ask the same store at the same time and say what is wrong with it.
    }
  }

  async #loadGroups(): Promise<void> {
    const at = this.next();
    try {
      const answer = await this.#platform.call("workspace_list", { min_messages: this.#showEmpty ? 0 : 1 });
      this.dispatch({ type: "groups_loaded", at, groups: answer.groups });
    } catch {
      // As above.
    }
  }

  async #loadHidden(): Promise<void> {
    const shown = this.#showEmpty;
    try {
      const answer = await this.list(false, null, 1);
      if (shown === this.#showEmpty) this.dispatch({ type: "hidden_counted", hidden: answer.counts.hidden });
    } catch {
      // As above.
    }
  }

  async #loadPages(load: number): Promise<void> {
    let cursor: string | null = null;
    try {
      do {
        const page: Awaited<ReturnType<typeof this.list>> = await this.list(false, cursor);
        if (this.state.loading !== load) return;
        cursor = page.next_cursor;
        this.dispatch({
          type: "page_loaded",
          load,
          rows: page.rows,
          last: cursor === null,
          hidden: page.counts.hidden,
        });
        if (cursor !== null) await pause();
      } while (cursor !== null && this.state.loading === load);
    } catch (error) {
      this.dispatch({ type: "load_failed", load, error: toIpcError(error) });
    }
  }

  private list(pinned: boolean, cursor: string | null, limit = PAGE) {
    return this.#platform.call("session_list", {
      limit,
      min_messages: pinned || this.#showEmpty ? 0 : 1,
      archived: "exclude",
      order: "recent",
      pinned,
      ...(cursor === null ? {} : { cursor }),
    });
  }
}

/** Lets the page draw and answer the keyboard between two pages of rows. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
