/**
 * The live sessions that this window has open: resumed when a session is opened, created with the first prompt of a
 * draft, brought on by events, read anew after a gap. It knows no component and not what the window shows.
 */
import type { AppEvent } from "../ipc/generated/AppEvent";
import type { ApprovalChoice } from "../ipc/generated/ApprovalChoice";
import type { IpcError } from "../ipc/generated/IpcError";
import type { LiveSession } from "../ipc/generated/LiveSession";
import { liveTexts } from "../lib/texts/live";
import { toIpcError, type Platform } from "../platform/types";
import { follow, resync, settled, viewOf, type LiveView, type Numbered } from "./live";

/** A session's id, or `draft:<n>` for something that is not stored yet. */
export type Place = string;

/** How this window stands to a session. */
export type Standing =
  /** Not open: nobody asked, or it ended. */
  | { at: "none" }
  | { at: "opening" }
  | { at: "here"; live: Live }
  /** Another window has it. */
  | { at: "elsewhere" }
  /** Another window took it from this one. */
  | { at: "moved" }
  | { at: "failed"; error: IpcError };

/** One live session. */
export class Live {
  readonly id: string;
  /** Where it stands in the list of this window's sessions. */
  place: Place;
  view = $state.raw<LiveView>() as LiveView;
  /** What the user answered, by the call that was asked about; for the words of its line. */
  answers = $state.raw<ReadonlyMap<string, ApprovalChoice>>(new Map());

  constructor(session: LiveSession, place: Place) {
    this.id = session.live_id;
    this.place = place;
    this.view = viewOf(session);
  }

  get session(): LiveSession {
    return this.view.session;
  }

  /** The transcript shows the rows as they were when `stored` was this number. */
  settled(stored: number): void {
    this.view = settled(this.view, stored);
  }

  answered(callId: string, choice: ApprovalChoice): void {
    this.answers = new Map(this.answers).set(callId, choice);
  }
}

const NONE: Standing = { at: "none" };
const ASK_AGAIN_MS = 1_000;
/** Changes kept of live sessions that this window has not heard of yet: their answer is still under way. */
const MOST_STRANGE = 512;

export interface LiveHooks {
  /** A live session stands at another place now: it was stored, or goes on in a continuation. Both hold until then. */
  onPlace: (from: Place, sessionId: string) => Promise<void>;
}

export class LiveSessions {
  #platform: Platform;
  #hooks: LiveHooks;
  #standings = $state.raw<ReadonlyMap<Place, Standing>>(new Map());
  #byId = new Map<string, Live>();
  #strange: { liveId: string; numbered: Numbered }[] = [];
  #asking = new Set<Live>();
  #opening = new Map<Place, Promise<Standing>>();
  #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(platform: Platform, hooks: LiveHooks) {
    this.#platform = platform;
    this.#hooks = hooks;
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  of(place: Place): Standing {
    return this.#standings.get(place) ?? NONE;
  }

  /** The live session at a place, when this window has it. */
  at(place: Place): Live | null {
    const standing = this.of(place);
    return standing.at === "here" ? standing.live : null;
  }

  /** Opens a stored session here, unless it is already, or another window has it. */
  resume(sessionId: string): Promise<Standing> {
    const standing = this.of(sessionId);
    if (standing.at === "moved") return Promise.resolve(standing);
    if (standing.at === "here") {
      // The host may have ended it meanwhile, as a deleted one that came back.
      void this.#ask(standing.live).then(() => {
        if (this.of(sessionId).at === "none") void this.resume(sessionId);
      });
      return Promise.resolve(standing);
    }
    return this.#once(sessionId, async () => {
      const answer = await this.#platform.call("session_resume", { id: sessionId });
      return answer.place === "elsewhere" ? { at: "elsewhere" } : this.#adopt(answer.live, sessionId);
    });
  }

  /** Takes a session to this window, wherever it is. */
  activate(sessionId: string): Promise<Standing> {
    return this.#once(sessionId, async () =>
      this.#adopt(await this.#platform.call("session_activate", { id: sessionId }), sessionId),
    );
  }

  /** The live session at a place: there, resumed, or for a draft created. Rejects with an `IpcError`. */
  async open(place: Place, sessionId: string | null, folder: string | null): Promise<Live> {
    const standing =
      sessionId !== null
        ? await this.resume(sessionId)
        : this.at(place) !== null
          ? this.of(place)
          : await this.#once(place, async () => {
              const request = folder === null ? {} : { folder };
              return this.#adopt(await this.#platform.call("session_create", request), place);
            });
    if (standing.at === "here") return standing.live;
    if (standing.at === "failed") throw standing.error;
    throw { code: "busy", message: liveTexts.elsewhere, retryable: false } satisfies IpcError;
  }

  /** The host ended it, as after a long rest: the next use opens it anew. */
  drop(live: Live): void {
    this.#byId.delete(live.id);
    if (this.at(live.place) === live) this.#stand(live.place, NONE);
  }

  /** A live session was stored, or goes on in a continuation. */
  moved(live: Live, sessionId: string): void {
    const from = live.place;
    if (from === sessionId) return;
    live.place = sessionId;
    this.#stand(sessionId, { at: "here", live });
    void this.#hooks.onPlace(from, sessionId).finally(() => {
      if (this.at(from) === live) this.#stand(from, NONE);
    });
  }

  receive(event: Extract<AppEvent, { type: "live_changed" | "session_moved" }>): void {
    const live = this.#byId.get(event.live_id);
    if (event.type === "session_moved") {
      if (live === undefined) return;
      this.#byId.delete(live.id);
      this.#stand(live.place, { at: "moved" });
      return;
    }
    const { rev, change } = event;
    if (live === undefined) {
      this.#strange = [...this.#strange, { liveId: event.live_id, numbered: { rev, change } }].slice(
        -MOST_STRANGE,
      );
      return;
    }
    this.#follow(live, { rev, change });
  }

  /** Events were missed: every record is read anew. */
  async refetch(): Promise<void> {
    this.#strange = [];
    await Promise.all([...this.#byId.values()].map((live) => this.#ask(live)));
  }

  #follow(live: Live, numbered: Numbered): void {
    live.view = follow(live.view, numbered);
    const id = live.session.session_id;
    if (id !== null) this.moved(live, id);
    if (live.view.behind) void this.#ask(live);
  }

  async #ask(live: Live): Promise<void> {
    if (this.#asking.has(live)) return;
    this.#asking.add(live);
    try {
      do {
        live.view = resync(live.view, await this.#platform.call("live_get", { live_id: live.id }));
        const id = live.session.session_id;
        if (id !== null) this.moved(live, id);
      } while (live.view.behind && this.#byId.has(live.id));
    } catch (error) {
      if (toIpcError(error).code === "not_found") this.drop(live);
      else this.#later(() => void (this.#byId.has(live.id) && this.#ask(live)));
    } finally {
      this.#asking.delete(live);
    }
  }

  #later(run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ASK_AGAIN_MS);
    this.#timers.add(timer);
  }

  #adopt(session: LiveSession, place: Place): Standing {
    const known = this.#byId.get(session.live_id);
    if (known !== undefined) {
      known.view = resync(known.view, session);
      return { at: "here", live: known };
    }
    const live = new Live(session, place);
    this.#byId.set(live.id, live);
    const mine = this.#strange.filter(({ liveId }) => liveId === live.id);
    this.#strange = this.#strange.filter(({ liveId }) => liveId !== live.id);
    // At its place first: what came early may move it on.
    this.#stand(place, { at: "here", live });
    for (const { numbered } of mine) this.#follow(live, numbered);
    // Opened by the id of an ancestor.
    if (live.session.session_id !== null) this.moved(live, live.session.session_id);
    return { at: "here", live };
  }

  /** One opening of a place at a time; whoever asks meanwhile gets its answer. */
  #once(place: Place, run: () => Promise<Standing>): Promise<Standing> {
    const under = this.#opening.get(place);
    if (under !== undefined) return under;
    const before = this.of(place);
    if (before.at === "none" || before.at === "failed") this.#stand(place, { at: "opening" });
    const mine = run()
      .catch((error: unknown): Standing => ({ at: "failed", error: toIpcError(error) }))
      .then((standing) => {
        this.#opening.delete(place);
        // Whose other window has it keeps that page when it cannot be had.
        const kept = standing.at === "failed" && before.at !== "none" && before.at !== "opening";
        if (standing.at !== "here") this.#stand(place, kept ? before : standing);
        else if (this.at(place) === null) this.#stand(place, standing);
        return standing;
      });
    this.#opening.set(place, mine);
    return mine;
  }

  #stand(place: Place, standing: Standing): void {
    const next = new Map(this.#standings);
    if (standing.at === "none") next.delete(place);
    else next.set(place, standing);
    this.#standings = next;
  }
}
