/**
 * The host's side of live sessions, in memory: what it holds, the numbered changes it tells, the commands it answers.
 * For tests and the preview pages. It changes its own record by hand and knows nothing of the page's reducer, so that
 * the two can be held against each other.
 */
import type { AppEvent } from "../ipc/generated/AppEvent";
import type { IpcError } from "../ipc/generated/IpcError";
import type { LiveChange } from "../ipc/generated/LiveChange";
import type { LiveSession } from "../ipc/generated/LiveSession";
import type { ModelServer } from "../ipc/generated/ModelServer";
import type { ModelStatus } from "../ipc/generated/ModelStatus";
import type { CommandName, RequestOf, ResponseOf } from "../platform/types";

type Answers = { [K in CommandName]: (request: RequestOf<K>) => ResponseOf<K> };
export type LiveAnswers = Pick<
  Answers,
  | "session_create"
  | "session_resume"
  | "session_activate"
  | "session_close"
  | "session_interrupt"
  | "session_retry"
  | "session_undo"
  | "session_compress"
  | "session_model"
  | "live_get"
  | "prompt_submit"
  | "queue_set"
  | "approval_respond"
  | "change_undo"
  | "running_list"
  | "model_status"
  | "model_set"
  | "model_key"
  | "model_list"
  | "model_find"
  | "window_open"
  | "app_quit"
>;

/** What the rest of a host in memory does for the live part. */
export interface LiveStore {
  send(event: AppEvent): void;
  /** Keeps a prompt; the answer is its session, new for a draft. */
  prompt(
    sessionId: string | null,
    text: string,
    replace: string | null,
  ): { sessionId: string; total: number };
  /** Takes the last prompt and what follows away; the answer is its text. */
  undo(sessionId: string): { text: string; removed: number; total: number };
}

export function liveSession(change: Partial<LiveSession> = {}): LiveSession {
  return {
    live_id: "live-1",
    session_id: null,
    rev: 0,
    state: "idle",
    since: null,
    queued: null,
    text: "",
    reasoning: "",
    calls: [],
    approvals: [],
    problem: null,
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      calls: 0,
      context_used: 0,
      context_max: null,
      cost: null,
    },
    model: null,
    waiting: null,
    ...change,
  };
}

export const sampleModel: ModelStatus = {
  settings: {
    choice: { base_url: "http://127.0.0.1:11434/v1", model: "hermes-4-70b" },
    context_length: null,
    input_price: null,
    output_price: null,
    cost_limit: null,
  },
  key: "none",
};

function missing(): IpcError {
  return { code: "not_found", message: "This session is not open here any more.", retryable: false };
}

export class FakeLive {
  /** By live id. */
  readonly sessions = new Map<string, LiveSession>();
  /** Stored sessions that another window has. */
  readonly elsewhere = new Set<string>();
  model: ModelStatus = { ...sampleModel, settings: { ...sampleModel.settings, choice: null } };
  /** The servers of this computer, and what each of them offers. */
  servers: ModelServer[] = [];
  /** Titles of what runs. */
  running: string[] = [];
  #store: LiveStore;
  #ids = 0;

  constructor(store: LiveStore) {
    this.#store = store;
  }

  /** The record of a live session. */
  get(liveId: string): LiveSession {
    const live = this.sessions.get(liveId);
    if (live === undefined) throw missing();
    return live;
  }

  of(sessionId: string): LiveSession | undefined {
    return [...this.sessions.values()].find((live) => live.session_id === sessionId);
  }

  /** Something happens: it is kept, numbered and told. `lost`: the page never hears of it. */
  change(liveId: string, change: LiveChange, lost = false): void {
    const live = this.get(liveId);
    live.rev += 1;
    this.#keep(live, structuredClone(change));
    const told: LiveChange = structuredClone(change);
    if (!lost) this.#store.send({ type: "live_changed", live_id: liveId, rev: live.rev, change: told });
  }

  /** Another window takes it. */
  move(liveId: string): void {
    const live = this.get(liveId);
    const id = live.session_id ?? "";
    this.sessions.delete(liveId);
    this.elsewhere.add(id);
    this.#store.send({ type: "session_moved", live_id: liveId, session_id: id });
  }

  #keep(live: LiveSession, change: LiveChange): void {
    switch (change.change) {
      case "state":
        live.state = change.state;
        live.since = change.since;
        break;
      case "text":
        live.text += change.append;
        break;
      case "reasoning":
        live.reasoning += change.append;
        break;
      case "stored":
        live.session_id = change.session_id;
        live.calls = live.calls.filter((call) => !change.ended.includes(call.call_id));
        if (change.answer) live.text = live.reasoning = "";
        break;
      case "call": {
        const at = live.calls.findIndex((call) => call.call_id === change.call.call_id);
        if (at < 0) live.calls.push(change.call);
        else live.calls[at] = change.call;
        break;
      }
      case "output": {
        const call = live.calls.find((other) => other.call_id === change.call_id);
        if (call) call.output = (call.output + change.append).slice(-16 * 1024);
        break;
      }
      case "queued":
        live.queued = change.text;
        break;
      case "asked":
        live.approvals.push(change.approval);
        break;
      case "answered":
        live.approvals = live.approvals.filter((approval) => approval.id !== change.approval_id);
        break;
      case "problem":
        live.problem = change.problem;
        break;
      case "usage":
        live.usage = change.usage;
        break;
      case "model":
        live.model = change.model;
        break;
      case "waiting":
        live.waiting = change.words;
        break;
      case "refetch":
        break;
    }
  }

  #open(sessionId: string | null): LiveSession {
    const live = liveSession({ live_id: `live-${++this.#ids}`, session_id: sessionId });
    this.sessions.set(live.live_id, live);
    return live;
  }

  #begin(liveId: string): void {
    this.change(liveId, { change: "problem", problem: null });
    this.change(liveId, { change: "state", state: "running", since: Date.now() });
  }

  answers(): LiveAnswers {
    return {
      session_create: ({ model }) => {
        const live = this.#open(null);
        live.model = model ?? null;
        return structuredClone(live);
      },
      session_resume: ({ id }) =>
        this.elsewhere.has(id)
          ? { place: "elsewhere" }
          : { place: "here", live: structuredClone(this.of(id) ?? this.#open(id)) },
      session_activate: ({ id }) => {
        this.elsewhere.delete(id);
        return structuredClone(this.of(id) ?? this.#open(id));
      },
      session_close: ({ live_id }) => ({ closed: this.sessions.delete(live_id) }),
      session_interrupt: ({ live_id }) => {
        const { since } = this.get(live_id);
        this.change(live_id, { change: "state", state: "stopping", since });
        return {};
      },
      session_retry: ({ live_id }) => {
        const live = this.get(live_id);
        this.#begin(live_id);
        return { status: "streaming", session_id: live.session_id ?? "" };
      },
      session_undo: ({ live_id }) => {
        const { session_id } = this.get(live_id);
        const { text, removed, total } = this.#store.undo(session_id ?? "");
        this.change(live_id, {
          change: "stored",
          session_id: session_id ?? "",
          total,
          ended: [],
          answer: false,
        });
        return { text, removed };
      },
      session_compress: ({ live_id }) => {
        this.change(live_id, { change: "state", state: "compressing", since: Date.now() });
        return {};
      },
      session_model: ({ live_id, model }) => {
        this.change(live_id, { change: "model", model: model ?? null });
        return structuredClone(this.get(live_id));
      },
      live_get: ({ live_id }) => structuredClone(this.get(live_id)),
      prompt_submit: ({ live_id, text, replace, busy }) => {
        const live = this.get(live_id);
        const session = live.session_id ?? "";
        if (live.state !== "idle") {
          if (busy === "steer") return { status: "steered", session_id: session };
          const queued = live.queued === null ? text : `${live.queued}\n\n${text}`;
          this.change(live_id, { change: "queued", text: queued });
          return { status: "queued", session_id: session };
        }
        const { sessionId, total } = this.#store.prompt(live.session_id, text, replace ?? null);
        this.change(live_id, {
          change: "stored",
          session_id: sessionId,
          total,
          ended: [],
          answer: false,
        });
        this.#begin(live_id);
        return { status: "streaming", session_id: sessionId };
      },
      queue_set: ({ live_id, text }) => {
        this.change(live_id, { change: "queued", text: text === "" ? null : text });
        return {};
      },
      approval_respond: ({ approval_id }) => {
        const live = [...this.sessions.values()].find((other) =>
          other.approvals.some((approval) => approval.id === approval_id),
        );
        if (live === undefined) throw missing();
        this.change(live.live_id, { change: "answered", approval_id });
        return {};
      },
      change_undo: () => ({}),
      running_list: () => ({ sessions: this.running }),
      model_status: () => this.model,
      model_set: (settings) => (this.model = { ...this.model, settings }),
      model_key: ({ key }) => (this.model = { ...this.model, key: key === "" ? "none" : "keyring" }),
      model_list: ({ base_url }) => {
        const url = base_url ?? this.model.settings.choice?.base_url ?? "";
        const known = this.servers.find((server) => server.base_url === url);
        return known ?? { name: "Ollama", base_url: url, models: [] };
      },
      model_find: () => ({ servers: this.servers }),
      window_open: () => ({}),
      app_quit: () => ({}),
    };
  }
}
