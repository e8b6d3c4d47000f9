/** Search of the sidebar: asks 120 ms after the last letter, drops late answers, loads further pages by itself. */
import type { CappedCount, IpcError, MessageHit, SessionRow, TitleHit } from "../ipc";
import { toIpcError, type Platform } from "../platform";

export const SEARCH_AFTER_MS = 120;

const NONE: CappedCount = { n: 0, more: false };

export class SessionSearch {
  query = $state("");
  /** The words the results belong to; empty while there are none. */
  answered = $state("");
  titles = $state.raw<readonly TitleHit[]>([]);
  messages = $state.raw<readonly MessageHit[]>([]);
  titleCount = $state.raw<CappedCount>(NONE);
  messageCount = $state.raw<CappedCount>(NONE);
  stopped = $state(false);
  loading = $state(false);
  error = $state.raw<IpcError | null>(null);

  #platform: Platform;
  #cursor: string | null = null;
  #run = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Whether results stand in the place of the list. */
  get active(): boolean {
    return this.query.trim() !== "";
  }

  type(query: string): void {
    this.query = query;
    clearTimeout(this.#timer);
    if (!this.active) {
      this.#run += 1;
      this.#show([], [], NONE, NONE, false, null, "");
      this.loading = false;
      this.error = null;
      return;
    }
    this.#timer = setTimeout(() => void this.run(), SEARCH_AFTER_MS);
  }

  clear(): void {
    this.type("");
  }

  /** Asks now; also again, after something changed. */
  async run(): Promise<void> {
    if (!this.active) return;
    clearTimeout(this.#timer);
    const run = ++this.#run;
    const query = this.query.trim();
    this.loading = true;
    this.error = null;
    try {
      const answer = await this.#platform.call("session_search", { query, archived: "include" });
      if (run !== this.#run) return;
      this.#show(
        answer.titles,
        answer.messages,
        answer.title_count,
        answer.message_count,
        answer.stopped_early,
        answer.next_cursor,
        query,
      );
    } catch (error) {
      if (run === this.#run) this.error = toIpcError(error);
    } finally {
      if (run === this.#run) this.loading = false;
    }
  }

  async more(): Promise<void> {
    if (this.loading || this.#cursor === null || this.error) return;
    const run = ++this.#run;
    this.loading = true;
    try {
      const answer = await this.#platform.call("session_search", {
        query: this.answered,
        archived: "include",
        cursor: this.#cursor,
      });
      if (run !== this.#run) return;
      const known = new Set(this.messages.map((hit) => hit.message_id));
      this.messages = [...this.messages, ...answer.messages.filter((hit) => !known.has(hit.message_id))];
      this.#cursor = answer.next_cursor;
      this.stopped ||= answer.stopped_early;
    } catch (error) {
      if (run === this.#run) this.error = toIpcError(error);
    } finally {
      if (run === this.#run) this.loading = false;
    }
  }

  /** A row as it is now, in every hit that shows it. A deleted one leaves. */
  patch(row: SessionRow): void {
    if (row.deleted_at !== null) {
      this.titles = this.titles.filter((hit) => hit.row.id !== row.id);
      this.messages = this.messages.filter((hit) => hit.row.id !== row.id);
      return;
    }
    const renew = <T extends { row: SessionRow }>(hit: T): T =>
      hit.row.id === row.id ? { ...hit, row } : hit;
    this.titles = this.titles.map(renew);
    this.messages = this.messages.map(renew);
  }

  #show(
    titles: readonly TitleHit[],
    messages: readonly MessageHit[],
    titleCount: CappedCount,
    messageCount: CappedCount,
    stopped: boolean,
    cursor: string | null,
    answered: string,
  ): void {
    this.titles = titles;
    this.messages = messages;
    this.titleCount = titleCount;
    this.messageCount = messageCount;
    this.stopped = stopped;
    this.#cursor = cursor;
    this.answered = answered;
  }
}
