/**
 * Find in conversation: the words, the messages of the open session that hold them, and the one at hand. One for a
 * window: the words stay while sessions are changed. Marks nothing itself; the transcript does.
 */
import type { CappedCount, FoundMessage, MessageFindResponse } from "../ipc";
import { formatCapped, formatCount } from "../lib/format";
import { find as texts } from "../lib/texts";
import { toIpcError, type Platform } from "../platform";

/** From the last letter to the question, in milliseconds. */
const PAUSE_MS = 120;
const NOTHING: MessageFindResponse = { messages: [], count: { n: 0, more: false } };

/** The newest hit at or above a row; above all of them the oldest. -1 when there is none. */
export function hitAbove(hits: readonly FoundMessage[], index: number): number {
  const above = hits.findLastIndex((hit) => hit.index <= index);
  return above >= 0 ? above : Math.min(0, hits.length - 1);
}

/** "3 of 17"; before one is at hand "17 messages". Of "1,000+" the list holds the newest: places count within those. */
export function positionWords(at: number, count: CappedCount): string {
  if (count.n === 0) return texts.none;
  return at < 0
    ? texts.matches(formatCapped(count))
    : texts.position(formatCount(at + 1), formatCapped(count));
}

export class ConversationFind {
  open = $state(false);
  query = $state("");
  /** The message at hand. A new object asks for a jump, also to the same one. */
  current = $state.raw<FoundMessage | null>(null);
  /** Grows when the field is asked for again. */
  wanted = $state(0);
  /** The last row in view. Told by the transcript; without one the search starts at the end. */
  lastInView: () => number = () => Infinity;

  #platform: Platform;
  #sessionId = $state<string | null>(null);
  #stamp = "";
  #answer = $state.raw<MessageFindResponse | null>(null);
  /** What the answer belongs to. */
  #answered = "";
  #at = $state(-1);
  #failure = $state<string | null>(null);
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** What the bar says: where one is, that there is nothing, or why it is not known. Empty without words to look for. */
  get words(): string {
    if (this.#failure !== null) return texts.failed(this.#failure);
    if (this.query === "") return "";
    return this.#answer === null ? texts.searching : positionWords(this.#at, this.#answer.count);
  }

  get failed(): boolean {
    return this.#failure !== null;
  }

  /** There is somewhere to go. */
  get canStep(): boolean {
    return (this.#answer?.messages.length ?? 0) > 0;
  }

  /** Shows the bar; shown already, its field is asked for. */
  show(): void {
    this.wanted += 1;
    if (this.open) return;
    this.open = true;
    void this.#ask(false);
  }

  close(): void {
    this.open = false;
    this.#forget();
  }

  type(query: string): void {
    this.query = query;
    clearTimeout(this.#timer);
    this.#turn += 1;
    if (query === "") this.#forget();
    else this.#timer = setTimeout(() => void this.#ask(true), PAUSE_MS);
  }

  /** The open session, and a stamp that changes when it gets rows: the same words are looked for again. */
  follow(sessionId: string | null, stamp: string): void {
    if (sessionId === this.#sessionId && stamp === this.#stamp) return;
    const other = sessionId !== this.#sessionId;
    this.#sessionId = sessionId;
    this.#stamp = stamp;
    if (other) this.#forget();
    if (sessionId === null) this.open = false;
    // Nobody asked to be taken elsewhere.
    if (this.open) void this.#ask(false);
  }

  /** To the next message (1) or the one before (-1), round the ends. Words just typed are looked for at once. */
  step(by: 1 | -1): void {
    if (!this.open) {
      this.show();
      return;
    }
    if (this.#answer === null || this.#answered !== this.query) {
      void this.#ask(true);
      return;
    }
    const hits = this.#answer.messages;
    if (this.#at < 0) this.#go(hitAbove(hits, this.lastInView()));
    else if (hits.length > 0) this.#go((this.#at + by + hits.length) % hits.length);
  }

  #go(at: number): void {
    this.#at = at;
    const hit = this.#answer?.messages[at];
    this.current = hit === undefined ? null : { ...hit };
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#turn += 1;
    this.#answer = null;
    this.#failure = null;
    this.#at = -1;
    this.current = null;
  }

  async #ask(going: boolean): Promise<void> {
    clearTimeout(this.#timer);
    const [sessionId, query] = [this.#sessionId, this.query];
    if (sessionId === null || query === "") return;
    const turn = ++this.#turn;
    this.#failure = null;
    try {
      const answer = await this.#platform.call("message_find", { session_id: sessionId, query });
      if (turn === this.#turn) this.#take(answer, query, going);
    } catch (error) {
      if (turn !== this.#turn) return;
      // Answered nothing, so that Enter asks again.
      this.#take(NOTHING, "", false);
      this.#failure = toIpcError(error).message;
    }
  }

  /** The message at hand stays so while it is among the hits; else the search starts where the reader is. */
  #take(answer: MessageFindResponse, query: string, going: boolean): void {
    this.#answer = answer;
    this.#answered = query;
    const held = this.current;
    const kept = held === null ? -1 : answer.messages.findIndex((hit) => hit.message_id === held.message_id);
    if (kept >= 0) this.#at = kept;
    else this.#go(going ? hitAbove(answer.messages, this.lastInView()) : -1);
  }
}
