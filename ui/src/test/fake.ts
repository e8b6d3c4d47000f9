/**
 * The host in memory, for tests and the preview page: a fake at the edge, so that everything above it is the real
 * thing. Answers may be held back and released in any order, and any command may be refused. Never part of the build.
 */
import type {
  BootStatus,
  EventEnvelope,
  ExportStatus,
  HealthReport,
  ImportStatus,
  IpcError,
  MessageHit,
  MessageRow,
  RecoveryStatus,
  SessionBulkRequest,
  SessionBulkResponse,
  SessionCounts,
  SessionRow,
  Settings,
  SnippetPart,
  SweepPreview,
  TitleHit,
} from "../ipc";
import type { CommandName, Platform, RequestOf, ResponseOf } from "../platform";
import { FakeLive } from "../dev/fake-live";

export interface FakeOptions {
  sessions?: SessionRow[];
  /** Sessions of sub-agents: known by id, in no list. */
  children?: SessionRow[];
  settings?: Partial<Settings>;
  boot?: Partial<BootStatus>;
  messages?: (id: string) => MessageRow[];
  /** What `import_probe` finds without a path; `null`: nothing. */
  store?: { path: string; sessions: number; messages: number; archived: number; bytes: number } | null;
  now?: () => number;
}

type Answers = { [K in CommandName]: (request: RequestOf<K>) => ResponseOf<K> };

export class FakeHost implements Platform {
  sessions: SessionRow[];
  settings: Settings;
  boot: BootStatus;
  importStatus: ImportStatus = { state: "idle" };
  exportStatus: ExportStatus = { state: "idle" };
  recoveryStatus: RecoveryStatus = { state: "idle" };
  sweep: SweepPreview = { archives: 0, sample: [], kept: 0, restorable: 0 };
  mediaWords = "The scheme, by Talaria's own plugin. No port is open.";
  health: HealthReport = { items: [], checked_at: 0, cancelled: false };
  branches = new Map<string, string>();
  calls: { name: CommandName; request: unknown }[] = [];
  /** Live sessions. Prompts that were stored stand behind the messages of the options. */
  readonly live: FakeLive;
  readonly prompts = new Map<string, MessageRow[]>();
  attached = 0;
  seq = 0;
  /** Refuse the next call of a command. */
  refuse = new Map<CommandName, IpcError>();
  /** `session_bulk` refuses these sessions. */
  refuseIn = new Map<string, IpcError>();
  /** What the automatic archive took in its last run. */
  swept: string[] = [];
  /** Hold the answers of these commands until `release`. The work itself is done at once. */
  hold = new Set<CommandName>();
  #held: { name: CommandName; go: () => void }[] = [];
  #sink: ((envelope: EventEnvelope) => void) | null = null;
  #options: FakeOptions;
  #now: () => number;

  constructor(options: FakeOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? (() => Date.now());
    this.sessions = options.sessions ?? [];
    this.live = new FakeLive({
      send: (event) => this.send(event),
      prompt: (id, text, replace) => this.#prompt(id, text, replace),
      undo: (id) => {
        const kept = this.#messages(id);
        const at = kept.findLastIndex((message) => message.role === "user");
        this.prompts.set(id, kept.slice(0, Math.max(0, at)));
        return { text: kept[at]?.text ?? "", removed: kept.length - at, total: at };
      },
    });
    this.settings = {
      theme: "system",
      group_by_workspace: true,
      show_empty: false,
      sidebar_width: 300,
      closed_groups: [],
      group_order: [],
      setup_done: true,
      archive_after_days: 0,
      letter_keys: true,
      zoom: 100,
      media_transport: "auto",
      row_click: "archive",
      ...options.settings,
    };
    this.boot = {
      phase: "ready",
      failure: null,
      home: "/home/ada/.local/share/talaria",
      trouble: null,
      clock_jump_days: null,
      safe_graphics: false,
      first_start: false,
      preview: false,
      platform: "linux",
      version: "0.1.0",
      ...options.boot,
    };
  }

  async call<K extends CommandName>(name: K, request: RequestOf<K>): Promise<ResponseOf<K>> {
    this.calls.push({ name, request });
    const refusal = this.refuse.get(name);
    this.refuse.delete(name);
    let outcome: { value: ResponseOf<K> } | { error: unknown };
    try {
      if (refusal) throw refusal;
      outcome = {
        value: structuredClone((this.#answers()[name] as (r: RequestOf<K>) => ResponseOf<K>)(request)),
      };
    } catch (error) {
      outcome = { error };
    }
    if (this.hold.has(name)) await new Promise<void>((go) => this.#held.push({ name, go }));
    else await Promise.resolve();
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /** Lets the oldest held answer of a command go; `false` when none waits. */
  release(name: CommandName): boolean {
    const index = this.#held.findIndex((held) => held.name === name);
    const [held] = index < 0 ? [] : this.#held.splice(index, 1);
    held?.go();
    return held !== undefined;
  }

  async attach(onEvent: (envelope: EventEnvelope) => void): Promise<void> {
    this.attached += 1;
    this.seq = 0;
    this.#sink = onEvent;
  }

  send(event: EventEnvelope["event"], seq = this.seq + 1): void {
    this.seq = seq;
    this.#sink?.({ seq, event });
  }

  setBoot(status: Partial<BootStatus>): void {
    this.boot = { ...this.boot, ...status };
    this.send({ type: "boot_changed", status: this.boot });
  }

  row(id: string): SessionRow {
    const all = [...this.sessions, ...(this.#options.children ?? [])];
    const row = all.find((other) => other.id === id);
    if (!row) throw refusal("not_found", "This session does not exist any more.");
    return row;
  }

  #messages(id: string): MessageRow[] {
    return this.prompts.get(id) ?? this.#options.messages?.(id) ?? [];
  }

  /** Puts a row behind a session's messages. */
  write(id: string, part: Partial<MessageRow>): number {
    const before = this.#messages(id);
    const row: MessageRow = {
      id: `${id}-${before.length}`,
      index: before.length,
      role: "user",
      text: "",
      created_at: this.#now(),
      tool_calls: [],
      tool: null,
      notice: null,
      media: [],
      reasoning: null,
      finish_reason: null,
      ...part,
    };
    this.prompts.set(id, [...before, row]);
    return before.length + 1;
  }

  #prompt(id: string | null, text: string, replace: string | null) {
    const sessionId = id ?? `new-${this.sessions.length}`;
    if (id === null) {
      this.sessions = [
        ...this.sessions,
        session(sessionId, { title: null, preview: text, message_count: 1 }),
      ];
    }
    if (replace !== null) {
      const kept = this.#messages(sessionId);
      this.prompts.set(
        sessionId,
        kept.slice(
          0,
          kept.findIndex((message) => message.id === replace),
        ),
      );
      return { sessionId, total: this.write(sessionId, { id: `${replace}-again`, text }) };
    }
    return { sessionId, total: this.write(sessionId, { text }) };
  }

  counts(hidden = 0): SessionCounts {
    const live = this.sessions.filter((row) => row.deleted_at === null);
    const active = live.filter((row) => !row.archived);
    return {
      active: active.length,
      archived: live.length - active.length,
      trash: this.sessions.length - live.length,
      pinned: active.filter((row) => row.pinned).length,
      hidden,
    };
  }

  #listed(): SessionRow[] {
    return this.sessions
      .filter((row) => row.deleted_at === null)
      .sort((a, b) => b.last_active - a.last_active || (a.id < b.id ? 1 : -1));
  }

  #page(rows: SessionRow[], limit: number, cursor: string | undefined, hidden = 0) {
    const from = cursor === undefined ? 0 : Number(cursor);
    const size = limit === 0 ? 50 : Math.min(limit, 500);
    return {
      rows: rows.slice(from, from + size),
      counts: this.counts(hidden),
      next_cursor: from + size < rows.length ? String(from + size) : null,
      stopped_early: false,
    };
  }

  #answers(): Answers {
    return {
      boot_status: () => this.boot,
      boot_retry: () => this.boot,
      session_list: (request) => {
        const words = (request.query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
        const all = this.#listed().filter(
          (row) =>
            (request.archived === "include" || row.archived === (request.archived === "only")) &&
            (request.pinned === undefined || row.pinned === request.pinned) &&
            words.every((word) => `${row.title} ${row.preview} ${row.folder}`.toLowerCase().includes(word)),
        );
        const rows = all.filter((row) => row.message_count >= request.min_messages);
        if (request.pinned === true) rows.sort((a, b) => (a.pin_rank ?? 0) - (b.pin_rank ?? 0));
        return this.#page(rows, request.limit, request.cursor, all.length - rows.length);
      },
      session_get: ({ id }) => this.row(id),
      session_update: (request) => {
        const row = this.row(request.id);
        let unpinned: number | null = null;
        if (request.title !== undefined) {
          const holder = this.sessions.find((other) => other !== row && other.title === request.title);
          if (holder && request.title !== "")
            throw refusal("title_taken", `“${holder.title}” has this title already.`);
          if (request.title.length > 100)
            throw refusal("title_too_long", "A title has at most 100 characters.");
          row.title = request.title === "" ? null : request.title;
        }
        if (request.archived !== undefined) {
          if (request.archived && row.pinned) unpinned = row.pin_rank;
          row.archived = request.archived;
          row.pinned = !request.archived && request.pin_rank !== undefined;
          row.pin_rank = row.pinned ? (request.pin_rank ?? null) : null;
        }
        return {
          title: row.title,
          row,
          ...(request.archived === undefined ? {} : { archived: request.archived }),
          ...(unpinned === null ? {} : { unpinned_rank: unpinned }),
        };
      },
      session_pin: (request) => {
        const row = this.row(request.id);
        const lowest = Math.min(0, ...this.sessions.map((other) => other.pin_rank ?? 0));
        row.pinned = request.pinned;
        if (request.pinned) this.#pinAt(row, request.rank ?? lowest - 1);
        else row.pin_rank = null;
        return row;
      },
      session_mark: ({ id, unread }) => {
        const row = this.row(id);
        row.unread = unread;
        return row;
      },
      session_delete: ({ id, mode }) => {
        const row = this.sessions.find((other) => other.id === id);
        if (!row) return { already_absent: true };
        if (mode === "purge") {
          this.sessions = this.sessions.filter((other) => other !== row);
          return { already_absent: false };
        }
        const unpinned = row.pin_rank;
        row.deleted_at = this.#now();
        row.pinned = false;
        row.pin_rank = null;
        return { already_absent: false, ...(unpinned === null ? {} : { unpinned_rank: unpinned }) };
      },
      session_restore: ({ id, pin_rank }) => {
        const row = this.row(id);
        row.deleted_at = null;
        row.pinned = pin_rank !== undefined;
        row.pin_rank = pin_rank ?? null;
        return row;
      },
      session_search: ({ query, cursor, title_cursor }) => this.#search(query, cursor, title_cursor),
      trash_list: ({ limit, cursor }) => {
        const rows = this.sessions
          .filter((row) => row.deleted_at !== null)
          .sort((a, b) => (b.deleted_at ?? 0) - (a.deleted_at ?? 0));
        return this.#page(rows, limit, cursor);
      },
      workspace_list: ({ min_messages }) => {
        const groups = new Map<string | null, ResponseOf<"workspace_list">["groups"][number]>();
        for (const row of this.#listed()) {
          if (row.archived || row.pinned || row.message_count < min_messages) continue;
          const group = groups.get(row.folder);
          if (group) group.count += 1;
          else
            groups.set(row.folder, {
              folder: row.folder,
              workspace: row.workspace,
              count: 1,
              last_active: row.last_active,
            });
        }
        return { groups: [...groups.values()] };
      },
      workspace_branch: ({ folder }) => ({ branch: this.branches.get(folder) ?? null }),
      message_page: ({ session_id, anchor, limit }) => {
        const all = this.#messages(session_id);
        const size = limit === 0 ? 100 : limit;
        const at =
          anchor.at === "message"
            ? Math.max(0, all.findIndex((message) => message.id === anchor.id) - Math.floor(size / 2))
            : anchor.at === "from"
              ? anchor.index
              : Math.max(0, (anchor.at === "before" ? anchor.index : all.length) - size);
        const end = anchor.at === "before" ? anchor.index : at + size;
        return { session: this.row(session_id), messages: all.slice(at, end), total: all.length };
      },
      draft_get: () => ({ text: "", folder: null }),
      draft_set: () => ({}),
      settings_get: () => this.settings,
      settings_update: (patch) => {
        this.settings = { ...this.settings, ...patch };
        return this.settings;
      },
      import_probe: ({ path }) => {
        const store = this.#options.store ?? null;
        if (!store) throw refusal("missing", "No Hermes store was found.");
        return { schema: 22, ...store, path: path ?? store.path };
      },
      import_start: () => {
        this.importStatus = {
          state: "running",
          progress: { done: 0, total: this.#options.store?.sessions ?? 0, current: null },
        };
        return this.importStatus;
      },
      import_status: () => this.importStatus,
      import_cancel: () => {
        this.importStatus = { state: "idle" };
        return this.importStatus;
      },
      import_choose: () => ({ path: "/home/ada/old/state.db" }),
      media_open: () => {
        throw refusal("missing", "File is missing.");
      },
      media_fallback: () => ({}),
      media_status: () => ({ words: this.mediaWords }),
      media_position: () => ({}),
      save_reveal: () => ({}),
      media_save: () => ({ id: null }),
      save_cancel: () => ({}),
      file_open: () => ({}),
      link_open: () => ({}),
      file_reveal: () => ({}),
      session_bulk: (request) => this.#bulk(request),
      session_branch: ({ id }) => this.#copyOf(id),
      session_show: () => ({}),
      message_find: ({ session_id, query }) => {
        const word = query.toLowerCase();
        const all = this.#messages(session_id);
        const found = all.filter((message) => message.text.toLowerCase().includes(word));
        return {
          messages: found.slice(-1000).map(({ id, index }) => ({ message_id: id, index })),
          count: { n: Math.min(found.length, 1000), more: found.length > 1000 },
        };
      },
      export_start: () => this.exportStatus,
      export_status: () => this.exportStatus,
      export_cancel: () => (this.exportStatus = { state: "idle" }),
      sweep_preview: () => this.sweep,
      health_check: () => this.health,
      health_cancel: () => ({}),
      recovery_start: () =>
        (this.recoveryStatus = { state: "running", progress: { table: "", done: 0, total: 0 } }),
      recovery_status: () => this.recoveryStatus,
      recovery_cancel: () => (this.recoveryStatus = { state: "idle" }),
      about_get: () => ({
        version: "0.1.0",
        schema: 2,
        home: this.boot.home,
        home_bytes: 12_345_678,
        store_bytes: 11_000_000,
        facts: [["Web view", "WebKitGTK 2.50"]],
      }),
      diagnostics_get: () => ({ text: "Talaria 0.1.0" }),
      window_zoom: () => ({}),
      window_painted: () => ({}),
      graphics_reset: () => ({}),
      events_ack: () => ({ head: this.seq }),
      ...this.live.answers(),
    };
  }

  #bulk({ target, action, pins }: SessionBulkRequest): SessionBulkResponse {
    const ids = new Set(target.kind === "ids" ? target.ids : []);
    const targets = this.sessions.filter((row) =>
      target.kind === "ids"
        ? ids.has(row.id)
        : target.kind === "swept_at"
          ? this.swept.includes(row.id)
          : target.kind === "workspace" &&
            (row.folder ?? "") === target.folder &&
            !row.archived &&
            !row.pinned &&
            row.deleted_at === null,
    );
    const answer: SessionBulkResponse = { done: [], pins: [], refused: [] };
    const unpin = (row: SessionRow) => {
      if (row.pin_rank !== null) answer.pins.push({ id: row.id, rank: row.pin_rank });
      row.pinned = false;
      row.pin_rank = null;
    };
    for (const row of targets) {
      const error = this.refuseIn.get(row.id);
      if (error) {
        answer.refused.push({ id: row.id, error });
        continue;
      }
      const before = JSON.stringify(row);
      if (action === "archive") {
        row.archived = true;
        unpin(row);
      } else if (action === "unarchive") row.archived = false;
      else if (action === "trash") {
        row.deleted_at ??= this.#now();
        unpin(row);
      } else if (action === "restore") row.deleted_at = null;
      else if (action === "mark_read") row.unread = false;
      else if (action === "mark_unread") row.unread = true;
      const pin = pins?.find((place) => place.id === row.id);
      if (pin) {
        row.pinned = true;
        this.#pinAt(row, pin.rank);
      }
      if (action === "purge" || JSON.stringify(row) !== before) answer.done.push(row.id);
    }
    if (action === "purge") {
      const gone = new Set(answer.done);
      this.sessions = this.sessions.filter((row) => !gone.has(row.id));
    }
    return answer;
  }

  /** Who holds the rank, and those behind, move one on. */
  #pinAt(row: SessionRow, rank: number): void {
    const others = this.sessions.filter((other) => other !== row);
    if (others.some((other) => other.pin_rank === rank))
      for (const other of others) if (other.pin_rank !== null && other.pin_rank >= rank) other.pin_rank += 1;
    row.pin_rank = rank;
  }

  #copyOf(id: string): SessionRow {
    const from = this.row(id);
    const copy = { ...from, id: `${id}-copy`, pinned: false, pin_rank: null, archived: false };
    copy.title = from.title === null ? null : `${from.title} #2`;
    copy.last_active = this.#now();
    this.sessions = [...this.sessions, copy];
    return copy;
  }

  #search(
    query: string,
    cursor: string | undefined,
    titleCursor: string | undefined,
  ): ResponseOf<"session_search"> {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const all = (text: string | null) =>
      text !== null && words.every((word) => text.toLowerCase().includes(word));
    const rows = this.#listed();
    const titles: TitleHit[] = rows
      .filter((row) => all(row.title))
      .map((row) => ({ row, title: mark(row.title ?? "", words) }));
    const hits: MessageHit[] = rows
      .filter((row) => all(row.preview))
      .map((row) => ({
        row,
        message_id: `message-of-${row.id}`,
        index: 0,
        role: "user",
        created_at: row.last_active,
        snippet: mark(row.preview ?? "", words),
      }));
    const count = (n: number) => ({ n: Math.min(n, 1000), more: n > 1000 });
    const none = { n: 0, more: false };
    const from = Number(cursor ?? 0);
    const fromTitle = Number(titleCursor ?? 0);
    const next = (at: number, all: readonly unknown[]) => (at + 20 < all.length ? String(at + 20) : null);
    const [hasTitles, hasMessages] = [cursor === undefined, titleCursor === undefined];
    return {
      titles: hasTitles ? titles.slice(fromTitle, fromTitle + 20) : [],
      title_count: hasTitles && hasMessages ? count(titles.length) : none,
      next_title_cursor: hasTitles ? next(fromTitle, titles) : null,
      messages: hasMessages ? hits.slice(from, from + 20) : [],
      message_count: hasMessages ? count(hits.length) : none,
      next_cursor: hasMessages ? next(from, hits) : null,
      stopped_early: false,
    };
  }
}

export function refusal(code: IpcError["code"], message: string, retryable = false): IpcError {
  return { code, message, retryable };
}

function mark(text: string, words: string[]): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let rest = text;
  while (rest !== "") {
    const found = words
      .map((word) => ({ word, at: rest.toLowerCase().indexOf(word) }))
      .filter((hit) => hit.at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (!found) break;
    if (found.at > 0) parts.push({ text: rest.slice(0, found.at), hit: false });
    parts.push({ text: rest.slice(found.at, found.at + found.word.length), hit: true });
    rest = rest.slice(found.at + found.word.length);
  }
  return rest === "" ? parts : [...parts, { text: rest, hit: false }];
}

/** A row with everything set that a test does not care about. */
export function session(id: string, part: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    title: `Session ${id}`,
    preview: `First words of ${id}`,
    created_at: 1_000,
    last_active: 1_000,
    message_count: 4,
    archived: false,
    is_active: false,
    unread: false,
    pinned: false,
    pin_rank: null,
    folder: null,
    workspace: null,
    git_branch: null,
    running: false,
    approvals: 0,
    model: null,
    source: "talaria",
    deleted_at: null,
    ...part,
  };
}
