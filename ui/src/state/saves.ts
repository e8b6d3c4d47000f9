/**
 * Copies of media on their way, one a card. Pure. The host's events name a copy by its id, which may come before the
 * answer that says whose id it is.
 */
import type { SaveStatus } from "../ipc";

/** A card: its session and what its message names. */
export type SaveKey = string;

export type Save =
  /** The system's dialog is open. */
  | { state: "asking" }
  | { state: "running"; id: string; done: number; total: number }
  | { state: "done"; id: string; path: string }
  | { state: "failed"; message: string };

export interface SavesState {
  saves: ReadonlyMap<SaveKey, Save>;
  /** What events told of ids that no answer has named yet. */
  early: ReadonlyMap<string, SaveStatus>;
}

export type SaveAction =
  | { type: "asked"; key: SaveKey }
  /** `id` is null when the user closed the dialog. */
  | { type: "answered"; key: SaveKey; id: string | null }
  | { type: "refused"; key: SaveKey; message: string }
  | { type: "changed"; id: string; status: SaveStatus }
  | { type: "closed"; key: SaveKey };

export const NO_SAVES: SavesState = { saves: new Map(), early: new Map() };

/** The card whose copy has this id. */
export function keyOfSave(state: SavesState, id: string): SaveKey | null {
  for (const [key, save] of state.saves) if ("id" in save && save.id === id) return key;
  return null;
}

export function reduceSaves(state: SavesState, action: SaveAction): SavesState {
  switch (action.type) {
    case "asked":
      return withSave(state, action.key, { state: "asking" });
    case "answered": {
      if (action.id === null) return withSave(state, action.key, null);
      const { [action.id]: told } = Object.fromEntries(state.early);
      const early = new Map(state.early);
      early.delete(action.id);
      const begun = saveOf(action.id, told ?? { state: "running", done: 0, total: 0 });
      return withSave({ ...state, early }, action.key, begun);
    }
    case "refused":
      return withSave(state, action.key, { state: "failed", message: action.message });
    case "changed": {
      const key = keyOfSave(state, action.id);
      if (key !== null) return withSave(state, key, saveOf(action.id, action.status));
      const asking = [...state.saves.values()].some((save) => save.state === "asking");
      // Nobody waits for an answer: it is the copy of a page before this one, and its end is old news.
      if (!asking) return state;
      return { ...state, early: new Map(state.early).set(action.id, action.status) };
    }
    case "closed":
      return withSave(state, action.key, null);
  }
}

function saveOf(id: string, status: SaveStatus): Save | null {
  switch (status.state) {
    case "running":
      return { state: "running", id, done: status.done, total: status.total };
    case "done":
      return { state: "done", id, path: status.path };
    case "failed":
      return { state: "failed", message: status.error.message };
    case "cancelled":
      return null;
  }
}

function withSave(state: SavesState, key: SaveKey, save: Save | null): SavesState {
  const saves = new Map(state.saves);
  if (save === null) saves.delete(key);
  else saves.set(key, save);
  return { ...state, saves };
}
