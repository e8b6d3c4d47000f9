/** The last 20 list actions, newest last. Pure. */
export interface UndoEntry {
  id: number;
  run: () => Promise<void>;
}

/** A list action under way that can be taken back once it is done. Exactly one of `done` and `failed` ends it. */
export interface UndoTurn {
  id: number;
  /** The store did it. Answers whether Undo is still to be offered: `false` when it was asked for meanwhile. */
  done(run: () => Promise<void>): boolean;
  /** It was not done: there is nothing to take back. */
  failed(): void;
}

export const MOST_UNDO = 20;

export function pushUndo(stack: readonly UndoEntry[], entry: UndoEntry): readonly UndoEntry[] {
  return [...stack, entry].slice(-MOST_UNDO);
}

/** Takes out the entry with this id, or the newest. */
export function takeUndo(
  stack: readonly UndoEntry[],
  id?: number,
): { entry: UndoEntry | undefined; stack: readonly UndoEntry[] } {
  const entry = id === undefined ? stack.at(-1) : stack.find((other) => other.id === id);
  return { entry, stack: entry ? stack.filter((other) => other !== entry) : stack };
}
