/**
 * Search of the sidebar: asks 120 ms after the last letter and drops late answers. Further pages of messages load by
 * themselves, those of titles once all titles are asked for.
 */
import type { CappedCount, IpcError, MessageHit, SearchResponse, SessionRow, TitleHit } from "../ipc";
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
  /** There are titles that are not loaded yet. */
  moreTitles = $state(false);
  /** All titles were asked for: their pages load as they are scrolled to. */
  allTitles = $state(false);
  stopped = $state(false);
  loading = $state(false);
  error = $state.raw<IpcError | null>(null);

  #platform: Platform;
  #cursor: string | null = null;
  #titleCursor: string | null = null;
  #loadingTitles = false;
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
      this.#show(null, "");
      this.loading = false;
      this.error = null;
      return;
    }
    this.#timer = setTimeout(() => void this.run(), SEARCH_AFTER_MS);
  }

  clear(): void {
    this.type("");
  }

  /** Asks now; also again, after something changed: then as many titles as were there stay in reach. */
  async run(): Promise<void> {
    if (!this.active) return;
    clearTimeout(this.#timer);
    const run = ++this.#run;
    const query = this.query.trim();
    const again = query === this.answered && this.allTitles;
    const reached = again ? this.titles.length : 0;
    this.loading = true;
    this.#loadingTitles = false;
    this.error = null;
    try {
      const answer = await this.#ask(query);
      while (answer.next_title_cursor !== null && answer.titles.length < reached && run === this.#run) {
        const page = await this.#ask(query, { title_cursor: answer.next_title_cursor });
        answer.titles = joined(answer.titles, page.titles, titleKey);
        answer.next_title_cursor = page.next_title_cursor;
      }
      if (run !== this.#run) return;
      this.#show(answer, query);
      this.allTitles = again;
    } catch (error) {
      if (run === this.#run) this.error = toIpcError(error);
    } finally {
      if (run === this.#run) this.loading = false;
    }
  }

  /** The next page of message hits. */
  async more(): Promise<void> {
    if (this.loading || this.#cursor === null || this.error) return;
    const run = this.#run;
    this.loading = true;
    try {
      const answer = await this.#ask(this.answered, { cursor: this.#cursor });
      if (run !== this.#run) return;
      this.messages = joined(this.messages, answer.messages, messageKey);
      this.#cursor = answer.next_cursor;
      this.stopped ||= answer.stopped_early;
    } catch (error) {
      if (run === this.#run) this.error = toIpcError(error);
    } finally {
      if (run === this.#run) this.loading = false;
    }
  }

  /** From now on all titles are wanted; loads the next page of them. */
  showAllTitles(): void {
    this.allTitles = true;
    void this.nextTitles();
  }

  /** The next page of titles, once all are wanted; message hits stay as they are. */
  async nextTitles(): Promise<void> {
    if (!this.allTitles || this.#loadingTitles || this.#titleCursor === null || this.error) return;
    const run = this.#run;
    this.#loadingTitles = true;
    try {
      const answer = await this.#ask(this.answered, { title_cursor: this.#titleCursor });
      if (run !== this.#run) return;
      this.titles = joined(this.titles, answer.titles, titleKey);
      this.#titleCursor = answer.next_title_cursor;
      this.moreTitles = answer.next_title_cursor !== null;
    } catch (error) {
      if (run === this.#run) this.error = toIpcError(error);
    } finally {
      if (run === this.#run) this.#loadingTitles = false;
    }
  }

  /** A row as it is now, in every hit that shows it. A deleted one leaves. */
  patch(row: SessionRow): void {
    if (row.deleted_at !== null) {
      const [titles, messages] = [this.titles.length, this.messages.length];
      this.titles = this.titles.filter((hit) => hit.row.id !== row.id);
      this.messages = this.messages.filter((hit) => hit.row.id !== row.id);
      this.titleCount = less(this.titleCount, titles - this.titles.length);
      this.messageCount = less(this.messageCount, messages - this.messages.length);
      return;
    }
    const renew = <T extends { row: SessionRow }>(hit: T): T =>
      hit.row.id === row.id ? { ...hit, row } : hit;
    this.titles = this.titles.map(renew);
    this.messages = this.messages.map(renew);
  }

  #ask(query: string, page: { cursor?: string; title_cursor?: string } = {}): Promise<SearchResponse> {
    return this.#platform.call("session_search", { query, archived: "include", ...page });
  }

  #show(answer: SearchResponse | null, answered: string): void {
    this.titles = answer?.titles ?? [];
    this.messages = answer?.messages ?? [];
    this.titleCount = answer?.title_count ?? NONE;
    this.messageCount = answer?.message_count ?? NONE;
    this.stopped = answer?.stopped_early ?? false;
    this.#cursor = answer?.next_cursor ?? null;
    this.#titleCursor = answer?.next_title_cursor ?? null;
    this.moreTitles = this.#titleCursor !== null;
    this.allTitles = false;
    this.answered = answered;
  }
}

const titleKey = (hit: TitleHit) => hit.row.id;
const messageKey = (hit: MessageHit) => hit.message_id;

/** A number that stopped counting stays as it is: there are more behind it. */
function less(count: CappedCount, gone: number): CappedCount {
  return count.more ? count : { ...count, n: count.n - gone };
}

/** A further page behind the hits that are there; one that moved up meanwhile is not there twice. */
function joined<T>(hits: readonly T[], page: readonly T[], key: (hit: T) => string): T[] {
  const known = new Set(hits.map(key));
  return [...hits, ...page.filter((hit) => !known.has(key(hit)))];
}
