/**
 * This window's event stream: attach, check that no number is missing, acknowledge. A hole, a number that starts over,
 * or a head that stays ahead of what arrived means: attach again and fetch everything anew.
 */
import type { AppEvent, EventEnvelope } from "../ipc";
import type { Platform } from "../platform";

export const ACK_EVERY_MS = 2_000;
export const ACK_EVERY_EVENTS = 64;
export const STALL_MS = 5_000;
const RETRY_MS = 1_000;

/** Whether `seq` follows `seen` without a hole. */
export function follows(seen: number, seq: number): boolean {
  return seq === seen + 1;
}

export interface EventSink {
  onEvent: (event: AppEvent) => void;
  /** The stream was broken and is whole again: what was missed must be fetched. */
  onReattached: () => void;
}

export class EventStream {
  #platform: Platform;
  #sink: EventSink;
  #seen = 0;
  #unacknowledged = 0;
  /** Since when the host says that more was sent than arrived. */
  #behindSince: number | null = null;
  #attaching = false;
  #epoch = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #now: () => number;

  constructor(platform: Platform, sink: EventSink, now: () => number = () => Date.now()) {
    this.#platform = platform;
    this.#sink = sink;
    this.#now = now;
  }

  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#acknowledge(), ACK_EVERY_MS);
    await this.#attach(false);
  }

  stop(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    this.#epoch += 1;
  }

  async #attach(again: boolean): Promise<void> {
    if (this.#attaching) return;
    this.#attaching = true;
    const epoch = ++this.#epoch;
    this.#seen = 0;
    this.#unacknowledged = 0;
    this.#behindSince = null;
    try {
      await this.#platform.attach((envelope) => this.#receive(epoch, envelope));
      this.#attaching = false;
      if (again && epoch === this.#epoch) this.#sink.onReattached();
    } catch {
      this.#attaching = false;
      if (epoch !== this.#epoch) return;
      this.#retry = setTimeout(() => void this.#attach(true), RETRY_MS);
    }
  }

  #receive(epoch: number, envelope: EventEnvelope): void {
    if (epoch !== this.#epoch) return;
    if (!follows(this.#seen, envelope.seq)) {
      void this.#attach(true);
      return;
    }
    this.#seen = envelope.seq;
    this.#unacknowledged += 1;
    this.#sink.onEvent(envelope.event);
    if (this.#unacknowledged >= ACK_EVERY_EVENTS) void this.#acknowledge();
  }

  async #acknowledge(): Promise<void> {
    const epoch = this.#epoch;
    if (this.#attaching) return;
    this.#unacknowledged = 0;
    let head: number;
    try {
      head = (await this.#platform.call("events_ack", { seq: this.#seen })).head;
    } catch {
      return;
    }
    if (epoch !== this.#epoch) return;
    // A head behind what arrived: the host began a new stream that this page knows nothing of.
    if (head < this.#seen) {
      void this.#attach(true);
    } else if (head === this.#seen) {
      this.#behindSince = null;
    } else {
      this.#behindSince ??= this.#now();
      if (this.#now() - this.#behindSince >= STALL_MS) void this.#attach(true);
    }
  }
}
