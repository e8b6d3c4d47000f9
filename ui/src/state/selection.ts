/**
 * Which rows are ticked, as a pure reducer. Rows of a list that loads page after page (its "whole") may be ticked before
 * they are known: then only the exceptions are remembered, until `resolved` names them all. Rows outside of the whole
 * (the pinned ones, beside the sidebar's list) are always ticked by id.
 */
export interface SelectionState {
  /** Selection mode: rows show a box, a click ticks. */
  active: boolean;
  /** Ticked by id. */
  ids: ReadonlySet<string>;
  /** Everything in the whole is ticked but these; `null`: only `ids` are. */
  except: ReadonlySet<string> | null;
  /** The row that a range begins at. */
  anchor: string | null;
  /** What was ticked before the range that grows and shrinks with the last row pointed at. */
  base: ReadonlySet<string>;
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
  /** Everything from the anchor to the row pointed at, in the order of the list; starts the mode. */
  | { type: "ranged"; rows: readonly Pickable[] }
  /** These, with everything in the whole when `whole` is set; `known` are the rows of it that are loaded. */
  | { type: "all"; ids: readonly string[]; whole: boolean; known: readonly string[] }
  /** All ids of the whole are known now. */
  | { type: "resolved"; ids: readonly string[] }
  /** Rows went away. */
  | { type: "dropped"; ids: ReadonlySet<string> }
  | { type: "ended" };

const NONE: ReadonlySet<string> = new Set();

export const noSelection: SelectionState = {
  active: false,
  ids: NONE,
  except: null,
  anchor: null,
  base: NONE,
};

export function isPicked(state: SelectionState, row: Pickable): boolean {
  return state.ids.has(row.id) || (row.whole && state.except !== null && !state.except.has(row.id));
}

/** How many are ticked, when the whole has `total` rows. */
export function countPicked(state: SelectionState, total: number): number {
  return state.ids.size + (state.except === null ? 0 : Math.max(0, total - state.except.size));
}

export function reduceSelection(state: SelectionState, action: SelectionAction): SelectionState {
  switch (action.type) {
    case "toggled":
      return toggle(state, action.row);
    case "ranged":
      return range(state, action.rows);
    case "all": {
      const known = new Set(action.whole ? action.known : []);
      const ids = new Set([...state.ids, ...action.ids].filter((id) => !known.has(id)));
      const except = action.whole ? NONE : state.except;
      return { ...state, active: true, ids, except, base: ids };
    }
    case "resolved": {
      const { except } = state;
      if (except === null) return state;
      const ids = new Set([...state.ids, ...action.ids.filter((id) => !except.has(id))]);
      return { ...state, ids, except: null, base: ids };
    }
    case "dropped": {
      if (![...action.ids].some((id) => state.ids.has(id))) return state;
      const ids = new Set([...state.ids].filter((id) => !action.ids.has(id)));
      return { ...state, ids, base: ids };
    }
    case "ended":
      return state.active ? noSelection : state;
  }
}

function toggle(state: SelectionState, row: Pickable): SelectionState {
  const next = isPicked(state, row) ? unpick(state, row) : pick(state, [row]);
  return { ...next, active: true, anchor: row.id, base: next.ids };
}

function range(state: SelectionState, rows: readonly Pickable[]): SelectionState {
  const anchor = state.anchor ?? rows[0]?.id ?? null;
  const next = pick({ ...state, ids: state.base }, rows);
  return { ...next, active: true, anchor, base: state.base };
}

function pick(state: SelectionState, rows: readonly Pickable[]): SelectionState {
  const ids = new Set(state.ids);
  const except = state.except === null ? null : new Set(state.except);
  for (const row of rows) {
    if (row.whole && except !== null) except.delete(row.id);
    else ids.add(row.id);
  }
  return { ...state, ids, except };
}

function unpick(state: SelectionState, row: Pickable): SelectionState {
  const ids = new Set(state.ids);
  // Ticked by id, or by being part of the whole.
  if (ids.delete(row.id) || state.except === null) return { ...state, ids };
  return { ...state, ids, except: new Set(state.except).add(row.id) };
}
