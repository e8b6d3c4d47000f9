/**
 * Which rows are ticked, as a pure reducer. Rows of a list that loads page after page (its "whole") may be ticked before
 * they are known: then only the exceptions are remembered, until `resolved` names them all. Rows apart from the whole
 * (the pinned ones, beside the sidebar's list) are always ticked by id.
 */

/** What is ticked. */
interface Ticks {
  /** Rows of the whole, by id; empty while `except` says it. */
  ids: ReadonlySet<string>;
  /** Everything in the whole but these; `null`: only `ids`. */
  except: ReadonlySet<string> | null;
  /** Rows that are not of the whole. */
  apart: ReadonlySet<string>;
}

export interface SelectionState extends Ticks {
  /** Selection mode: rows show a box, a click ticks. */
  active: boolean;
  /** The row that a range begins at. */
  anchor: string | null;
  /** What was ticked before the range that grows and shrinks with the last row pointed at. */
  base: Ticks;
}

/** A row as the selection knows it. */
export interface Pickable {
  id: string;
  /** It belongs to the whole. */
  whole: boolean;
}

export type SelectionAction =
  /** Ticks, or takes the tick away; starts the mode. */
  | { type: "toggled"; row: Pickable }
  /** Everything from the anchor to the row pointed at, the anchor first; starts the mode. */
  | { type: "ranged"; rows: readonly Pickable[] }
  /** Everything in the whole. */
  | { type: "whole_ticked" }
  /** These, apart from the whole. */
  | { type: "apart_ticked"; ids: readonly string[] }
  /** All ids of the whole are known now. */
  | { type: "resolved"; ids: readonly string[] }
  /** Rows went away. */
  | { type: "dropped"; ids: ReadonlySet<string> }
  | { type: "ended" };

const NONE: ReadonlySet<string> = new Set();
const NOTHING: Ticks = { ids: NONE, except: null, apart: NONE };

export const noSelection: SelectionState = { ...NOTHING, active: false, anchor: null, base: NOTHING };

export function isPicked(ticks: Ticks, row: Pickable): boolean {
  if (ticks.apart.has(row.id) || ticks.ids.has(row.id)) return true;
  return row.whole && ticks.except !== null && !ticks.except.has(row.id);
}

/** How many are ticked, when the whole has `total` rows. */
export function countPicked({ ids, except, apart }: Ticks, total: number): number {
  return apart.size + (except === null ? ids.size : Math.max(0, total - except.size));
}

export function reduceSelection(state: SelectionState, action: SelectionAction): SelectionState {
  switch (action.type) {
    case "toggled": {
      const { row } = action;
      const next = isPicked(state, row) ? without(state, [row.id]) : withRows(state, [row]);
      return started(state, next, row.id);
    }
    case "ranged": {
      const next = withRows(state.base, action.rows);
      const anchor = state.anchor ?? action.rows[0]?.id ?? null;
      return { ...state, ...next, active: true, anchor };
    }
    case "whole_ticked":
      return started(state, { ids: NONE, except: NONE, apart: state.apart }, state.anchor);
    case "apart_ticked": {
      const apart = new Set([...state.apart, ...action.ids]);
      return started(state, { ...ticksOf(state), apart }, state.anchor);
    }
    case "resolved":
      return { ...state, ...resolved(state, action.ids), base: resolved(state.base, action.ids) };
    case "dropped":
      return { ...state, ...dropped(state, action.ids), base: dropped(state.base, action.ids) };
    case "ended":
      return state.active ? noSelection : state;
  }
}

function ticksOf({ ids, except, apart }: Ticks): Ticks {
  return { ids, except, apart };
}

function started(state: SelectionState, next: Ticks, anchor: string | null): SelectionState {
  return { ...state, ...next, active: true, anchor, base: next };
}

function withRows(ticks: Ticks, rows: readonly Pickable[]): Ticks {
  const ids = new Set(ticks.ids);
  const apart = new Set(ticks.apart);
  const except = ticks.except === null ? null : new Set(ticks.except);
  for (const row of rows) {
    if (!row.whole) apart.add(row.id);
    else if (except === null) ids.add(row.id);
    else except.delete(row.id);
  }
  return { ids, except, apart };
}

/** Takes the ticks of these away, wherever they stand. */
function without(ticks: Ticks, rows: readonly string[]): Ticks {
  const next = dropped(ticks, new Set(rows));
  const inside = rows.filter((id) => !ticks.apart.has(id));
  return next.except === null ? next : { ...next, except: new Set([...next.except, ...inside]) };
}

/** Forgets rows that are no longer there: they are no exceptions either. */
function dropped({ ids, except, apart }: Ticks, gone: ReadonlySet<string>): Ticks {
  const left = (set: ReadonlySet<string>) => new Set([...set].filter((id) => !gone.has(id)));
  return { ids: left(ids), except: except === null ? null : left(except), apart: left(apart) };
}

function resolved({ ids, except, apart }: Ticks, all: readonly string[]): Ticks {
  if (except === null) return { ids, except, apart };
  return { ids: new Set(all.filter((id) => !except.has(id) && !apart.has(id))), except: null, apart };
}
