/**
 * The sidebar's list as a pure reducer: state + action -> state. It does no IO and reads no clock.
 *
 * Order in time is a counter (`at`), taken when a request starts. An answer knows what was true at its `at`; a row that
 * went away later than that stays away whatever the answer says. Rows that went away are kept in their place and only
 * left out when drawn (`gone`), so that a refusal or an Undo puts them back exactly where they were.
 */
import type { IpcError, SessionRow, WorkspaceGroup } from "../ipc";
import { pinnedAt } from "./pin-order";

export interface Gone {
  /** When it was taken away, later when the store confirmed it. */
  at: number;
  /** The store has not answered yet. */
  pending: boolean;
}

export interface ListState {
  /** By pin rank, lowest first. May hold gone rows. */
  pinned: readonly SessionRow[];
  /** By recency, newest first. May hold gone rows. */
  rest: readonly SessionRow[];
  /** How many entries of `rest`, from the start, the load under way has confirmed. */
  confirmed: number;
  /** The load under way, by the time it began. */
  loading: number | null;
  /** `rest` holds every row of the list. */
  complete: boolean;
  /** At least one load got an answer. */
  loaded: boolean;
  pinnedAt: number;
  groups: readonly WorkspaceGroup[];
  groupsAt: number;
  /** Rows left out because they are empty. */
  hidden: number;
  gone: ReadonlyMap<string, Gone>;
  error: IpcError | null;
}

export type ListAction =
  | { type: "load_started"; at: number }
  | { type: "page_loaded"; load: number; rows: readonly SessionRow[]; last: boolean; hidden: number }
  | { type: "load_failed"; load: number; error: IpcError }
  | { type: "pinned_loaded"; at: number; rows: readonly SessionRow[] }
  | { type: "groups_loaded"; at: number; groups: readonly WorkspaceGroup[] }
  /** The user took rows away; the store is asked next. */
  | { type: "row_hidden"; id: string; at: number }
  | { type: "rows_hidden"; ids: readonly string[]; at: number }
  /** The store did it. */
  | { type: "row_gone"; id: string; at: number }
  | { type: "rows_gone"; ids: readonly string[]; at: number }
  /** The store refused, or took it back: back to their old places. */
  | { type: "row_kept"; id: string }
  | { type: "rows_kept"; ids: readonly string[] }
  /** The same change to rows in their places. */
  | { type: "rows_patched"; ids: ReadonlySet<string>; patch: Partial<SessionRow> }
  /** The user gave a pinned row another place. */
  | { type: "pin_moved"; id: string; rank: number }
  | { type: "hidden_counted"; hidden: number }
  /** A row as the store has it. `asked` is the id it was asked by: the tip of a lineage may have changed. */
  | { type: "row_loaded"; row: SessionRow; at: number; asked?: string }
  /** The store no longer knows this id. */
  | { type: "row_missing"; id: string; at: number };

export const emptyList: ListState = {
  pinned: [],
  rest: [],
  confirmed: 0,
  loading: null,
  complete: false,
  loaded: false,
  pinnedAt: 0,
  groups: [],
  groupsAt: 0,
  hidden: 0,
  gone: new Map(),
  error: null,
};

export function reduceList(state: ListState, action: ListAction): ListState {
  switch (action.type) {
    case "load_started":
      return { ...state, loading: action.at, confirmed: 0, error: null };
    case "page_loaded":
      return state.loading === action.load ? mergePage(state, action) : state;
    case "load_failed":
      return state.loading === action.load ? { ...state, loading: null, error: action.error } : state;
    case "pinned_loaded":
      return action.at >= state.pinnedAt ? replacePinned(state, action.rows, action.at) : state;
    case "groups_loaded":
      return action.at >= state.groupsAt ? { ...state, groups: action.groups, groupsAt: action.at } : state;
    case "row_hidden":
      return { ...state, gone: withEntry(state.gone, action.id, { at: action.at, pending: true }) };
    case "rows_hidden":
      return { ...state, gone: withEntries(state.gone, action.ids, { at: action.at, pending: true }) };
    case "row_gone":
      return { ...state, gone: withEntry(state.gone, action.id, { at: action.at, pending: false }) };
    case "rows_gone":
      return { ...state, gone: withEntries(state.gone, action.ids, { at: action.at, pending: false }) };
    case "row_kept":
      return { ...state, gone: without(state.gone, action.id) };
    case "rows_kept": {
      const kept = new Set(action.ids);
      return { ...state, gone: new Map([...state.gone].filter(([id]) => !kept.has(id))) };
    }
    case "rows_patched": {
      const patched = (row: SessionRow) => (action.ids.has(row.id) ? { ...row, ...action.patch } : row);
      return { ...state, pinned: state.pinned.map(patched), rest: state.rest.map(patched) };
    }
    case "pin_moved":
      return { ...state, pinned: pinnedAt(state.pinned, action.id, action.rank) };
    case "hidden_counted":
      return { ...state, hidden: action.hidden };
    case "row_loaded":
      return loadRow(state, action.row, action.at, action.asked);
    case "row_missing":
      return { ...state, gone: withEntry(state.gone, action.id, { at: action.at, pending: false }) };
  }
}

/** Whether what was asked at `at` cannot know that this row went away. */
function isGone(gone: ReadonlyMap<string, Gone>, id: string, at: number): boolean {
  const entry = gone.get(id);
  return entry !== undefined && (entry.pending || entry.at > at);
}

/** Forgets that rows were gone when an answer that is newer than their going shows them. */
function returned(
  gone: ReadonlyMap<string, Gone>,
  rows: readonly SessionRow[],
  at: number,
): ReadonlyMap<string, Gone> {
  if (gone.size === 0) return gone;
  let next = gone;
  for (const row of rows) if (next.has(row.id) && !isGone(next, row.id, at)) next = without(next, row.id);
  return next;
}

function mergePage(state: ListState, page: Extract<ListAction, { type: "page_loaded" }>): ListState {
  const before = state.rest.slice(0, state.confirmed);
  const seen = new Set(before.map((row) => row.id));
  const fresh = page.rows.filter((row) => !seen.has(row.id) && !row.pinned);
  for (const row of fresh) seen.add(row.id);
  const confirmed = [...before, ...fresh];
  // Until the last page came, what was known before stays behind the confirmed part: nothing flickers.
  const behind = page.last ? [] : state.rest.slice(state.confirmed).filter((row) => !seen.has(row.id));
  const pinnedIds = new Set(state.pinned.map((row) => row.id));
  const twice = pinnedIds.size > 0 && fresh.some((row) => pinnedIds.has(row.id));
  return {
    ...state,
    // A page and the pinned rows are two answers; the later one says where a row stands.
    pinned:
      twice && page.load > state.pinnedAt ? state.pinned.filter((row) => !seen.has(row.id)) : state.pinned,
    rest:
      twice && page.load <= state.pinnedAt
        ? [...confirmed, ...behind].filter((row) => !pinnedIds.has(row.id))
        : [...confirmed, ...behind],
    confirmed:
      twice && page.load <= state.pinnedAt
        ? confirmed.filter((row) => !pinnedIds.has(row.id)).length
        : confirmed.length,
    loading: page.last ? null : state.loading,
    complete: page.last || state.complete,
    loaded: true,
    hidden: page.hidden,
    gone: returned(state.gone, fresh, page.load),
    error: null,
  };
}

function replacePinned(state: ListState, rows: readonly SessionRow[], at: number): ListState {
  const ids = new Set(rows.map((row) => row.id));
  // Rows that are gone but may come back keep their place.
  const kept = state.pinned.filter((row) => !ids.has(row.id) && isGone(state.gone, row.id, at));
  const confirmed = state.rest.slice(0, state.confirmed).filter((row) => !ids.has(row.id)).length;
  return {
    ...state,
    pinned: kept.reduce<readonly SessionRow[]>((list, row) => insertBy(list, row, byRank), rows),
    rest: state.rest.filter((row) => !ids.has(row.id)),
    confirmed,
    pinnedAt: at,
    gone: returned(state.gone, rows, at),
  };
}

function loadRow(state: ListState, row: SessionRow, at: number, asked: string | undefined): ListState {
  if (isGone(state.gone, row.id, at)) return state;
  const away = row.archived || row.deleted_at !== null;
  let next: ListState = asked !== undefined && asked !== row.id ? removeRow(state, asked) : state;
  if (away) return { ...next, gone: withEntry(next.gone, row.id, { at, pending: false }) };
  next = { ...next, gone: without(next.gone, row.id) };
  return row.pinned ? putPinned(next, row) : putRest(next, row);
}

function putPinned(state: ListState, row: SessionRow): ListState {
  const index = state.pinned.findIndex((other) => other.id === row.id);
  const old = state.pinned[index];
  if (old && old.pin_rank === row.pin_rank) return { ...state, pinned: state.pinned.with(index, row) };
  const next = removeRow(state, row.id);
  return { ...next, pinned: insertBy(next.pinned, row, byRank) };
}

function putRest(state: ListState, row: SessionRow): ListState {
  const index = state.rest.findIndex((other) => other.id === row.id);
  const old = state.rest[index];
  if (old && old.last_active === row.last_active) return { ...state, rest: state.rest.with(index, row) };
  const next = removeRow(state, row.id);
  const place = placeOf(next.rest, row, byRecency);
  // Behind everything known so far: a page that is still to come brings it in its place.
  if (place === next.rest.length && !next.complete && old === undefined) return next;
  return {
    ...next,
    rest: next.rest.toSpliced(place, 0, row),
    confirmed: place < next.confirmed ? next.confirmed + 1 : next.confirmed,
  };
}

function removeRow(state: ListState, id: string): ListState {
  const index = state.rest.findIndex((row) => row.id === id);
  return {
    ...state,
    pinned: state.pinned.some((row) => row.id === id)
      ? state.pinned.filter((row) => row.id !== id)
      : state.pinned,
    rest: index >= 0 ? state.rest.toSpliced(index, 1) : state.rest,
    confirmed: index >= 0 && index < state.confirmed ? state.confirmed - 1 : state.confirmed,
  };
}

type Order = (a: SessionRow, b: SessionRow) => number;
const byRank: Order = (a, b) => (a.pin_rank ?? 0) - (b.pin_rank ?? 0);
const byRecency: Order = (a, b) => b.last_active - a.last_active;

function placeOf(rows: readonly SessionRow[], row: SessionRow, order: Order): number {
  const index = rows.findIndex((other) => order(other, row) > 0);
  return index < 0 ? rows.length : index;
}

function insertBy(rows: readonly SessionRow[], row: SessionRow, order: Order): readonly SessionRow[] {
  return rows.toSpliced(placeOf(rows, row, order), 0, row);
}

function withEntry(gone: ReadonlyMap<string, Gone>, id: string, entry: Gone): ReadonlyMap<string, Gone> {
  return new Map(gone).set(id, entry);
}

function withEntries(
  gone: ReadonlyMap<string, Gone>,
  ids: readonly string[],
  entry: Gone,
): ReadonlyMap<string, Gone> {
  const next = new Map(gone);
  for (const id of ids) next.set(id, entry);
  return next;
}

function without(gone: ReadonlyMap<string, Gone>, id: string): ReadonlyMap<string, Gone> {
  if (!gone.has(id)) return gone;
  const next = new Map(gone);
  next.delete(id);
  return next;
}
