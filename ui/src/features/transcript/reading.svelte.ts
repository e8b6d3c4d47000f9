/**
 * Reads the rows of one session as they come near what is in view. Call `createReading` while the component is being
 * set up; it draws nothing itself.
 */
import type { IpcError } from "../../ipc/generated/IpcError";
import type { MessagePageResponse } from "../../ipc/generated/MessagePageResponse";
import type { PageAnchor } from "../../ipc/generated/PageAnchor";
import { transcriptTexts as texts } from "../../lib/texts/chat";
import { toIpcError, type Platform } from "../../platform/types";
import { shapeOf, type RowShape } from "./calls";
import { createRows, nextPage, PAGE, type Rows } from "./rows";
import type { View } from "./view.svelte";
import { guessHeight } from "./words";

/** Rows read ahead of what is drawn. */
const AHEAD = 40;
/** A reading shorter than this shows nothing, so that a quick one does not flash. Milliseconds. */
const PATIENCE_MS = 300;

export interface Reading {
  readonly rows: Rows;
  readonly phase: "reading" | "ready" | "failed";
  /** The first reading takes long enough to say so. */
  readonly slow: boolean;
  /** Why the first or a later page was not read; stays until `again`. */
  failure: IpcError | null;
  shape(index: number): RowShape;
  /** Blank rows take no place: the next one that does, from `index` on in a direction; undefined past the ends. */
  standing(index: number, step: -1 | 1): number | undefined;
  /** The first page: around a message if it is still there, else the newest. `shown` runs once it is drawn. */
  start(target: string | undefined, shown: () => void): Promise<void>;
  page(anchor: PageAnchor): Promise<MessagePageResponse>;
  take(answer: MessagePageResponse): void;
  readMissing(): void;
  /** Reads the newest rows again, as the session got new ones. `wanted`, asked just before they are drawn: still so. */
  refresh(wanted?: () => boolean): Promise<void>;
  /** Reads one row again. */
  renew(index: number): Promise<void>;
  /** The transcript went away: late answers are dropped. */
  end(): void;
  readonly ended: boolean;
}

export function createReading(platform: Platform, sessionId: string, view: View): Reading {
  const rows = createRows();
  const shapes = new Map<number, RowShape>();
  let busy = false;
  let ended = false;
  let phase = $state<"reading" | "ready" | "failed">("reading");
  let slow = $state(false);
  let failure = $state<IpcError | null>(null);
  let slowTimer: ReturnType<typeof setTimeout> | undefined;

  function page(anchor: PageAnchor, limit = PAGE): Promise<MessagePageResponse> {
    return platform.call("message_page", { session_id: sessionId, anchor, limit });
  }

  function shape(index: number): RowShape {
    let known = shapes.get(index);
    if (known === undefined) {
      known = shapeOf(rows, index);
      shapes.set(index, known);
    }
    return known;
  }

  function take(answer: MessagePageResponse) {
    const { span: taken, restarted } = rows.take(answer);
    view.resize(answer.total, restarted);
    shapes.clear();
    let from = taken.first;
    // An earlier row may only now turn out to be blank: its calls were answered in this page.
    while (from > 0 && rows.row(from - 1) !== undefined && taken.first - from < PAGE) from--;
    for (let index = from; index <= taken.last; index++) {
      const row = rows.row(index);
      if (row === undefined) continue;
      if (shape(index).blank) view.heights.measure(index, 0);
      else view.heights.guess(index, guessHeight(row));
    }
    view.settle();
  }

  /** The page around a message; null when the message is no longer there: the session still is. */
  async function around(id: string): Promise<MessagePageResponse | null> {
    try {
      return await page({ at: "message", id });
    } catch (error) {
      if (toIpcError(error).code === "not_found") return null;
      throw error;
    }
  }

  async function start(target: string | undefined, shown: () => void) {
    phase = "reading";
    failure = null;
    busy = true;
    clearTimeout(slowTimer);
    slowTimer = setTimeout(() => (slow = true), PATIENCE_MS);
    try {
      const answer = (target === undefined ? null : await around(target)) ?? (await page({ at: "end" }));
      if (ended) return;
      phase = "ready";
      take(answer);
      shown();
    } catch (error) {
      if (ended) return;
      phase = "failed";
      failure = toIpcError(error);
    } finally {
      clearTimeout(slowTimer);
      slow = false;
      busy = false;
      if (!ended) readMissing();
    }
  }

  function readMissing() {
    if (busy || ended || phase !== "ready" || failure !== null) return;
    const wanted = nextPage(rows, view.span, AHEAD);
    if (wanted === null) return;
    busy = true;
    void page({ at: "from", index: wanted.index }, wanted.limit)
      .then(
        (answer) => {
          if (ended) return;
          take(answer);
          rows.trim(Math.round((view.span.first + view.span.last) / 2));
          if (rows.row(wanted.index) === undefined && wanted.index < rows.total) {
            failure = { code: "internal", message: texts.notRead, retryable: true };
          }
        },
        (error: unknown) => {
          if (!ended) failure = toIpcError(error);
        },
      )
      .finally(() => {
        busy = false;
        readMissing();
      });
  }

  async function refresh(wanted?: () => boolean) {
    if (phase !== "ready") return;
    const before = rows.total;
    const follow = view.atEnd;
    try {
      const answer = await page({ at: "end" });
      if (ended || wanted?.() === false) return;
      if (follow) view.place = { at: "end" };
      take(answer);
      if (!follow) view.arrived(rows.total - before);
    } catch {
      // What is shown stays right; the next change or the next opening reads again.
    }
  }

  return {
    rows,
    get phase() {
      return phase;
    },
    get slow() {
      return slow;
    },
    get failure() {
      return failure;
    },
    set failure(next) {
      failure = next;
    },
    get ended() {
      return ended;
    },
    shape,
    standing(index, step) {
      let at = index;
      while (rows.row(at) !== undefined && shape(at).blank) at += step;
      return at >= 0 && at < rows.total ? at : undefined;
    },
    start,
    page: (anchor) => page(anchor),
    take,
    readMissing,
    refresh,
    async renew(index) {
      const answer = await page({ at: "from", index }, 1);
      if (!ended) take(answer);
    },
    end() {
      ended = true;
      clearTimeout(slowTimer);
    },
  };
}
