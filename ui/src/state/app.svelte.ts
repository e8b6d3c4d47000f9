/** The state of this window: what is open, the lists, the settings, toasts; and how it follows the host's events. */
import type { AppEvent, BootStatus, ImportStatus, SessionRow, Settings, SettingsPatch } from "../ipc";
import { formatCount } from "../lib/format";
import { shell, trouble as words } from "../lib/texts";
import { toIpcError, type Platform } from "../platform";
import { SessionActions } from "./actions";
import { BulkActions } from "./bulk";
import { SessionCopies } from "./copies";
import { EventStream } from "./events";
import { SessionExport } from "./export.svelte";
import { ConversationFind } from "./find.svelte";
import { StoreHealth } from "./health.svelte";
import { HermesImport } from "./import.svelte";
import { SessionList } from "./list.svelte";
import { LiveSessions, type Place, type Standing } from "./live.svelte";
import { ModelState } from "./model.svelte";
import { PagedRows } from "./paged.svelte";
import { askQuit } from "./quit";
import { StoreRecovery } from "./recovery.svelte";
import { MediaSaves } from "./saves.svelte";
import { rememberedOpen, rememberOpen } from "./reopen";
import { SessionSearch } from "./search.svelte";
import { Selection } from "./selection.svelte";
import { applyTheme } from "./theme";
import { reduceToasts, type Toast, type ToastAct, type ToastAction, type ToastKind } from "./toasts";
import { Turns, type Seat } from "./turns";
import { pushUndo, takeUndo, type UndoEntry, type UndoTurn } from "./undo";
import { Zoom } from "./zoom.svelte";

export type SettingsPage = "general" | "model" | "archived" | "keyboard" | "about";
export type View = { name: "sessions" } | { name: "settings"; page: SettingsPage };

/** What the chat area shows: a session, or a draft in a folder. */
export interface Open {
  /** What it is, whatever becomes of it: a draft keeps it when it is stored, a session in its continuation. */
  key: number;
  session: SessionRow | null;
  folder: string | null;
  branch: string | null;
  jump: { messageId: string } | null;
}

/** A question before something is done; the focus starts on Cancel. */
export interface Asked {
  title: string;
  detail?: string;
  confirm: string;
  /** What is asked about can be taken back: its button is not red. */
  calm?: boolean;
  /** A name inside the title. */
  name?: string;
  run: () => void;
}

const CLOCK_MS = 20_000;
const ASK_AGAIN_MS = 1_000;
/** The list follows a running import at most this often. */
const FOLLOW_MS = 2_000;
const DRAFT: Open = { key: 0, session: null, folder: null, branch: null, jump: null };

export const defaultSettings: Settings = {
  theme: "system",
  group_by_workspace: true,
  show_empty: false,
  sidebar_width: 300,
  closed_groups: [],
  group_order: [],
  setup_done: false,
  archive_after_days: 0,
  letter_keys: true,
  zoom: 100,
  media_transport: "auto",
  row_click: "archive",
};

export class App {
  readonly platform: Platform;
  /** The one session of this window; null: the main window, with its list. */
  readonly alone: string | null;
  readonly actions: SessionActions;
  readonly bulk: BulkActions;
  readonly copies: SessionCopies;
  readonly export: SessionExport;
  readonly saves: MediaSaves;
  readonly find: ConversationFind;
  readonly zoom: Zoom;
  readonly list: SessionList;
  readonly search: SessionSearch;
  readonly archived: PagedRows;
  readonly trash: PagedRows;
  readonly import: HermesImport;
  /** What is ticked in the sidebar, and on the Archived page. */
  readonly picked: Selection;
  readonly pickedArchived: Selection;
  readonly recovery: StoreRecovery;
  readonly health: StoreHealth;
  readonly live: LiveSessions;
  readonly turns: Turns;
  readonly model: ModelState;

  boot = $state.raw<BootStatus | null>(null);
  settings = $state.raw<Settings>(defaultSettings);
  /** The settings are the store's own, not the defaults. */
  settled = $state(false);
  /** An attempt to open the store whole was asked for and has not answered. */
  retrying = $state(false);
  view = $state.raw<View>({ name: "sessions" });
  open = $state.raw<Open>(DRAFT);
  toasts = $state.raw<readonly Toast[]>([]);
  question = $state.raw<Asked | null>(null);
  /** The clock that ages are drawn by, milliseconds UTC. */
  now = $state(Date.now());
  /** A row that should take the focus as soon as it is drawn. */
  wanted = $state<string | null>(null);
  /** A text for the composer; a new object is a new one. */
  offered = $state.raw<{ text: string } | null>(null);
  /** Someone asked for the search field. */
  searchWanted = $state(0);

  #undo = $state.raw<readonly UndoEntry[]>([]);
  #ids = 0;
  #opened = 0;
  /** Read at once: the draft that stands first is told, too. */
  #remembered = rememberedOpen();
  /** What is special about this start was said. */
  #noticed = false;
  /** How many times an event told of the start. */
  #bootTold = 0;
  /** When the list last followed a running import, milliseconds UTC. */
  #followed = 0;
  #branches = new Map<string, string | null>();
  #stream: EventStream;
  #clock: ReturnType<typeof setInterval> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #unfollow: () => void = () => {};

  constructor(platform: Platform, alone: string | null = null) {
    this.platform = platform;
    this.alone = alone;
    this.list = new SessionList(platform);
    this.search = new SessionSearch(platform);
    this.actions = new SessionActions(this);
    this.bulk = new BulkActions(this);
    this.copies = new SessionCopies(this);
    this.export = new SessionExport(platform, (toast) => this.toast(toast));
    this.saves = new MediaSaves(platform, this);
    this.find = new ConversationFind(platform);
    this.zoom = new Zoom(this);
    this.import = new HermesImport(platform, (status) => this.#imported(status));
    this.recovery = new StoreRecovery(platform);
    this.health = new StoreHealth(platform);
    this.live = new LiveSessions(platform, { onPlace: (from, id) => this.#placed(from, id) });
    this.turns = new Turns(platform, this.live, (title, detail, retry) =>
      this.toast({ kind: "failed", title, detail, retry }),
    );
    this.model = new ModelState(platform);
    this.archived = new PagedRows(
      (query, cursor) =>
        platform.call("session_list", {
          limit: 100,
          min_messages: 0,
          archived: "only",
          order: "recent",
          ...(query.trim() === "" ? {} : { query: query.trim() }),
          ...(cursor === null ? {} : { cursor }),
        }),
      (answer) => answer.counts.archived,
    );
    this.trash = new PagedRows(
      (_query, cursor) => platform.call("trash_list", { limit: 100, ...(cursor === null ? {} : { cursor }) }),
      (answer) => answer.counts.trash,
    );
    this.picked = new Selection(() => this.list.restIds());
    this.pickedArchived = new Selection(() => this.archived.allIds());
    this.#stream = new EventStream(platform, {
      onEvent: (event) => this.#receive(event),
      onReattached: () => void this.#refetch(),
    });
  }

  async start(): Promise<void> {
    this.#clock = setInterval(() => (this.now = Date.now()), CLOCK_MS);
    await this.#stream.start();
    await this.#refetch();
  }

  stop(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#again);
    this.#stream.stop();
    this.live.stop();
    this.#unfollow();
  }

  /** The store is open for reading only. */
  get readOnly(): boolean {
    return this.boot?.phase === "ready" && this.boot.trouble !== null;
  }

  /** A row as the store (or an action under way) has it: everything that shows it follows. */
  adopt(row: SessionRow): void {
    this.list.adopt(row, this.list.next());
    if (this.open.session?.id === row.id) this.open = { ...this.open, session: row };
    this.archived.patch(row);
    this.search.patch(row);
  }

  openSession(row: SessionRow, messageId?: string): void {
    if (this.alone !== null && this.open.session !== null && this.open.session.id !== row.id) {
      // The window of a session shows no other.
      void this.turns.openWindow(row.id);
      return;
    }
    this.view = { name: "sessions" };
    this.open = {
      // The same session again is no other: what is being written there stays.
      key: this.open.session?.id === row.id ? this.open.key : ++this.#opened,
      session: row,
      folder: null,
      branch: null,
      jump: messageId === undefined ? null : { messageId },
    };
    if (this.readOnly) return;
    void this.actions.markRead(row);
    // A sub-agent's session is its owner's.
    if (!this.list.apart.has(row.id)) void this.live.resume(row.id);
  }

  /** The session of a sub-agent, by the id its notice gives: no list holds it, so nothing in the sidebar is selected. */
  async openChild(id: string): Promise<void> {
    try {
      const row = await this.platform.call("session_get", { id });
      this.list.apart.add(row.id);
      this.openSession(row);
    } catch (error) {
      const { message, retryable } = toIpcError(error);
      this.toast({
        kind: "failed",
        title: shell.openFailed,
        detail: message,
        retry: retryable ? () => void this.openChild(id) : null,
      });
    }
  }

  /** A fresh draft; in a folder it knows the folder's git branch, if that can be read. */
  newSession(folder: string | null): void {
    this.view = { name: "sessions" };
    this.open = { ...DRAFT, key: ++this.#opened, folder };
    if (folder === null) return;
    void this.branchOf(folder).then((branch) => {
      if (this.open.session === null && this.open.folder === folder) this.open = { ...this.open, branch };
    });
  }

  /** Where the live session of what is open stands. */
  get place(): Place {
    return this.open.session?.id ?? `draft:${this.open.key}`;
  }

  get seat(): Seat {
    return { place: this.place, sessionId: this.open.session?.id ?? null, folder: this.open.folder };
  }

  /** How this window stands to what is open. */
  get standing(): Standing {
    return this.live.of(this.place);
  }

  /** Opens a session by its id: somebody wants it here. */
  async openById(id: string): Promise<void> {
    try {
      const row = await this.platform.call("session_get", { id });
      if (this.open.session?.id !== row.id || this.view.name !== "sessions") this.openSession(row);
    } catch (error) {
      this.toast({ kind: "failed", title: shell.openFailed, detail: toIpcError(error).message });
    }
  }

  /** The draft that is open was stored, or the session goes on in a continuation: it stays what is open. */
  async #placed(from: Place, id: string): Promise<void> {
    if (this.place !== from) return;
    try {
      const at = this.list.next();
      const row = await this.platform.call("session_get", { id });
      this.list.adopt(row, at, this.open.session?.id ?? row.id);
      this.list.refreshCounts();
      if (this.place === from) this.open = { ...this.open, session: row, folder: null, branch: null };
    } catch (error) {
      this.toast({ kind: "failed", title: shell.openFailed, detail: toIpcError(error).message });
    }
  }

  /**
   * The open session goes away: a fresh draft takes its place. What is answered brings it back, unless something else
   * was opened meanwhile.
   */
  leave(ids: readonly string[]): () => void {
    const before = this.open;
    if (before.session === null || !ids.includes(before.session.id)) return () => {};
    const draft = { ...DRAFT, key: ++this.#opened };
    this.open = draft;
    return () => {
      if (this.open === draft) this.open = before;
    };
  }

  /** The open session as it is now, when it is one of these. */
  renewOpen(ids: readonly string[]): void {
    const open = this.open.session;
    if (open && ids.includes(open.id)) void this.#reopen(open);
  }

  /** Tells the host which session this window shows, so that the automatic archive leaves it alone. */
  async tellShown(id: string | null): Promise<void> {
    rememberOpen(id);
    try {
      await this.platform.call("session_show", id === null ? {} : { id });
    } catch {
      // Told again with the next session that is opened.
    }
  }

  async branchOf(folder: string): Promise<string | null> {
    const known = this.#branches.get(folder);
    if (known !== undefined) return known;
    try {
      const { branch } = await this.platform.call("workspace_branch", { folder });
      this.#branches.set(folder, branch);
      // Branches change beneath us; what was read is good for a short while only.
      setTimeout(() => this.#branches.delete(folder), CLOCK_MS);
      return branch;
    } catch {
      return null;
    }
  }

  showSettings(page: SettingsPage = "general"): void {
    this.view = { name: "settings", page };
  }

  /** Whether it was kept; a refusal is said. */
  async change(patch: SettingsPatch): Promise<boolean> {
    const before = this.settings;
    this.#settle({ ...before, ...patch });
    if (patch.show_empty !== undefined && patch.show_empty !== before.show_empty) {
      void this.list.load(patch.show_empty);
    }
    try {
      this.#settle(await this.platform.call("settings_update", patch));
      return true;
    } catch (error) {
      this.#settle(before);
      if (patch.show_empty !== undefined) void this.list.load(before.show_empty);
      this.toast({ kind: "failed", title: shell.settingsFailed, detail: toIpcError(error).message });
      return false;
    }
  }

  async retryBoot(): Promise<void> {
    if (this.retrying) return;
    const told = this.#bootTold;
    this.retrying = true;
    try {
      const status = await this.platform.call("boot_retry", {});
      // An event that came meanwhile is newer than this answer.
      if (told === this.#bootTold) this.#takeBoot(status);
    } catch (error) {
      this.toast({ kind: "failed", title: shell.couldNotStart, detail: toIpcError(error).message });
    } finally {
      this.retrying = false;
    }
  }

  toast(toast: {
    kind: ToastKind;
    title: string;
    detail: string;
    count?: number;
    undo?: readonly number[];
    retry?: (() => void) | null;
    act?: ToastAct | null;
  }): number {
    const id = ++this.#ids;
    this.#toasts({ type: "shown", toast: { id, undo: [], retry: null, ...toast } });
    return id;
  }

  closeToast(id: number): void {
    this.#toasts({ type: "closed", id });
  }

  /** The newest list action that can be taken back, by its number; `null` when there is none. */
  get undoable(): number | null {
    return this.#undo.at(-1)?.id ?? null;
  }

  /** A list action begins. Undo pressed before the store has answered waits for that answer, then takes it back. */
  beginUndo(): UndoTurn {
    const id = ++this.#ids;
    let end: (run: (() => Promise<void>) | null) => void = () => {};
    const outcome = new Promise<(() => Promise<void>) | null>((resolve) => (end = resolve));
    const entry: UndoEntry = { id, run: async () => (await outcome)?.() };
    this.#undo = pushUndo(this.#undo, entry);
    return {
      id,
      done: (run) => {
        end(run);
        return this.#undo.includes(entry);
      },
      failed: () => {
        end(null);
        this.#undo = this.#undo.filter((other) => other !== entry);
      },
    };
  }

  /** Takes back one list action: this one, or the newest. */
  async undo(id?: number): Promise<void> {
    const { entry, stack } = takeUndo(this.#undo, id);
    if (!entry) return;
    this.#undo = stack;
    this.#toasts({ type: "undone", entry: entry.id });
    await entry.run();
  }

  /** Everything a toast stands for, newest first. */
  async undoToast(toast: Toast): Promise<void> {
    for (const entry of toast.undo.toReversed()) await this.undo(entry);
    this.closeToast(toast.id);
  }

  focusRow(id: string): void {
    if (this.view.name === "sessions") this.wanted = id;
  }

  #toasts(action: ToastAction): void {
    this.toasts = reduceToasts(this.toasts, action);
  }

  #receive(event: AppEvent): void {
    if (event.type === "boot_changed") {
      this.#bootTold += 1;
      this.#takeBoot(event.status);
    } else if (event.type === "import_changed") {
      void this.import.changed(event.status);
      if (event.status.state === "running") this.#followImport();
    } else if (event.type === "export_changed") {
      void this.export.changed(event.status);
    } else if (event.type === "save_changed") {
      this.saves.changed(event.id, event.status);
    } else if (event.type === "recovery_changed") {
      void this.recovery.changed(event.status);
    } else if (event.type === "sessions_swept") {
      if (this.alone === null) this.bulk.swept(event.count, event.days, event.at);
      void this.#rowsChanged([]);
    } else if (event.type === "sessions_changed") {
      void this.#rowsChanged(event.ids);
    } else if (event.type === "live_changed" || event.type === "session_moved") {
      this.live.receive(event);
    } else if (event.type === "session_wanted") {
      void this.openById(event.session_id);
    } else if (event.type === "quit_asked") {
      void askQuit(this);
    }
  }

  async #rowsChanged(ids: readonly string[]): Promise<void> {
    const open = this.open.session;
    if (this.alone !== null) {
      if (open && (ids.length === 0 || ids.includes(open.id))) await this.#reopen(open);
      return this.#renewPages([]);
    }
    const rows = await this.list.changed(ids);
    for (const row of rows) {
      this.#renewed(row);
      this.search.patch(row);
      if (row.archived && row.deleted_at === null) this.archived.patch(row);
      else this.archived.remove(row.id);
    }
    await this.#renewPages(rows);
    if (ids.length === 0 && open) await this.#reopen(open);
  }

  /** The open session has another row now, when it is this one. */
  #renewed(row: SessionRow): void {
    const before = this.open.session;
    if (before?.id !== row.id) return;
    this.open = { ...this.open, session: row };
    // A turn ended under the reader's eyes.
    if (row.unread && !before.unread && this.view.name === "sessions" && document.hasFocus())
      void this.actions.markRead(row);
  }

  /** The pages in Settings: what is on the screen loads again only when rows came to it, the rest when it is shown. */
  async #renewPages(rows: readonly SessionRow[]): Promise<void> {
    const inView = this.view.name === "settings" && this.view.page === "archived";
    const known = (list: PagedRows, row: SessionRow) => list.rows.some((other) => other.id === row.id);
    const came = rows.length === 0 || rows.some((row) => row.archived && !known(this.archived, row));
    const deleted =
      rows.length === 0 || rows.some((row) => row.deleted_at !== null && !known(this.trash, row));
    if (!inView) {
      this.archived.forget();
      this.trash.forget();
      return;
    }
    if (came) await this.archived.renew();
    if (deleted) await this.trash.renew();
  }

  async #reopen(row: SessionRow): Promise<void> {
    try {
      const now = await this.platform.call("session_get", { id: row.id });
      this.#renewed(now);
    } catch (error) {
      if (toIpcError(error).code === "not_found" && this.open.session?.id === row.id) this.newSession(null);
    }
  }

  /** At start and after a hole in the events: asks for everything that events would have told. */
  async #refetch(): Promise<void> {
    const told = this.#bootTold;
    try {
      const status = await this.platform.call("boot_status", {});
      const wasReady = this.boot?.phase === "ready";
      if (told === this.#bootTold) this.#takeBoot(status);
      if (wasReady && status.phase === "ready") {
        await Promise.all([
          this.#readSettings(),
          this.#rowsChanged([]),
          this.live.refetch(),
          this.model.read(),
        ]);
      }
    } catch (error) {
      // Without a first answer there is nothing to show: ask until there is one.
      if (this.boot === null) this.#again = setTimeout(() => void this.#refetch(), ASK_AGAIN_MS);
      else this.toast({ kind: "failed", title: shell.listFailed, detail: toIpcError(error).message });
    }
  }

  #takeBoot(status: BootStatus): void {
    const became = status.phase === "ready" && this.boot?.phase !== "ready";
    // Repaired, or writable again: what a store in trouble gave may have been only a part. Damaged while it was open:
    // what failed to load reads now.
    const turned =
      status.phase === "ready" && this.boot?.phase === "ready" && (status.trouble === null) === this.readOnly;
    const first = this.boot === null;
    this.boot = status;
    if (first) void this.recovery.look();
    if (became) this.#noticeStart(status);
    if (became || turned) void this.#begin();
  }

  /** What is special about this start, once. */
  #noticeStart({ clock_jump_days: days, safe_graphics }: BootStatus): void {
    if (this.#noticed || this.alone !== null) return;
    this.#noticed = true;
    if (days !== null) {
      this.toast({ kind: "notice", title: words.clockMoved(days), detail: words.clockMovedHint });
    }
    if (safe_graphics) {
      const act = { label: words.graphicsOn, run: () => void this.#resetGraphics() };
      this.toast({ kind: "notice", title: words.safeGraphics, detail: words.safeGraphicsHint, act });
    }
  }

  async #resetGraphics(): Promise<void> {
    try {
      await this.platform.call("graphics_reset", {});
      this.toast({ kind: "done", title: words.graphicsReset, detail: words.graphicsResetHint });
    } catch (error) {
      const retry = () => void this.#resetGraphics();
      this.toast({ kind: "failed", title: words.graphicsFailed, detail: toIpcError(error).message, retry });
    }
  }

  /** The gateway opened. */
  async #begin(): Promise<void> {
    await this.#readSettings();
    void this.export.look();
    void this.model.read();
    if (this.alone !== null) return this.#openAlone(this.alone);
    const remembered = this.#remembered;
    this.#remembered = null;
    if (remembered !== null && this.open === DRAFT) void this.openById(remembered);
    await Promise.all([this.list.load(this.settings.show_empty), this.#readDraftFolder()]);
    if (this.boot?.first_start && !this.settings.setup_done) await this.import.look();
  }

  /** The session of this window, which is taken from whatever window has it. A reload finds it in its continuation. */
  async #openAlone(id: string): Promise<void> {
    if (this.open.session !== null) return this.#reopen(this.open.session);
    if (!this.readOnly) await this.live.activate(id);
    await this.openById(id);
  }

  async #readSettings(): Promise<void> {
    try {
      this.#settle(await this.platform.call("settings_get", {}));
      this.settled = true;
    } catch (error) {
      this.settled = true;
      this.toast({ kind: "failed", title: shell.settingsUnread, detail: toIpcError(error).message });
    }
  }

  async #readDraftFolder(): Promise<void> {
    try {
      const { folder } = await this.platform.call("draft_get", {});
      if (folder !== null && this.open === DRAFT) this.newSession(folder);
    } catch {
      // The composer reads the same draft and says what is wrong with it.
    }
  }

  #settle(settings: Settings): void {
    const themed = settings.theme !== this.settings.theme || !this.settled;
    this.settings = settings;
    this.zoom.stored(settings.zoom);
    if (!themed) return;
    this.#unfollow();
    this.#unfollow = applyTheme(settings.theme);
  }

  /** An import ended. The rows follow by the event that the store sends with it. */
  #imported(status: ImportStatus): void {
    // Where the import is shown, its page says it itself. The main window says it for all.
    if (this.alone !== null) return;
    const settingUp = (this.boot?.first_start ?? false) && !this.settings.setup_done;
    if (settingUp || (this.view.name === "settings" && this.view.page === "general")) return;
    if (status.state === "failed") {
      this.toast({ kind: "failed", title: shell.importFailed, detail: status.error.message });
    } else if (status.state === "done") {
      const { sessions, listed, source_sessions: all, cancelled } = status.report;
      if (cancelled) {
        const title = shell.importCancelledAt(formatCount(sessions), formatCount(all));
        this.toast({ kind: "done", title, detail: "" });
      } else {
        const detail = shell.importNew(listed, formatCount(listed));
        this.toast({ kind: "done", title: shell.importDone, detail });
      }
    }
  }

  /** What an import has brought so far, from time to time: a long one fills the list under people's eyes. */
  #followImport(): void {
    const now = Date.now();
    if (this.boot?.phase !== "ready" || this.list.state.loading !== null) return;
    if (now - this.#followed < FOLLOW_MS) return;
    this.#followed = now;
    void this.list.load(this.settings.show_empty);
  }
}
