/** Toasts as a pure reducer. Repeats of one kind fold into one with a number; at most three stand at a time. */

/** What happened; also what folds together. */
export type ToastKind =
  | "archived"
  | "deleted"
  | "restored"
  | "purged"
  | "marked_read"
  | "marked_unread"
  | "renamed"
  | "swept"
  | "branched"
  | "duplicated"
  | "done"
  /** To be read in one's own time: stays until closed. */
  | "notice"
  | "archive_failed"
  | "unarchive_failed"
  | "delete_failed"
  | "restore_failed"
  | "failed";

/** What a notice offers. */
export interface ToastAct {
  label: string;
  run: () => void;
}

export interface Toast {
  id: number;
  kind: ToastKind;
  /** Bold words. Not used by the kinds that count themselves. */
  title: string;
  /** The session's name, or why it failed. */
  detail: string;
  count: number;
  /** Entries of the undo stack that this toast's Undo takes back. */
  undo: readonly number[];
  /** How many sessions each entry of `undo` is about. */
  amounts: readonly number[];
  retry: (() => void) | null;
  act?: ToastAct | null;
  /** Grows at each repeat: its time starts over. */
  renewed: number;
}

/** A toast as it is asked for; `count` is how many sessions it is about, 1 when absent. */
export type NewToast = Omit<Toast, "count" | "amounts" | "renewed"> & { count?: number };

export type ToastAction =
  | { type: "shown"; toast: NewToast }
  | { type: "closed"; id: number }
  /** This entry of the undo stack was taken back elsewhere. */
  | { type: "undone"; entry: number };

export const MOST_TOASTS = 3;
export const UNDO_MS = 10_000;
export const PLAIN_MS = 4_000;

export function isFailure(kind: ToastKind): boolean {
  return kind === "failed" || kind.endsWith("_failed");
}

/** How long it stays, in milliseconds; `null` until closed. */
export function lifetime(toast: Toast): number | null {
  if (isFailure(toast.kind) || toast.kind === "notice") return null;
  return toast.undo.length > 0 ? UNDO_MS : PLAIN_MS;
}

export function reduceToasts(toasts: readonly Toast[], action: ToastAction): readonly Toast[] {
  switch (action.type) {
    case "shown":
      return show(toasts, action.toast);
    case "closed":
      return toasts.filter((toast) => toast.id !== action.id);
    case "undone":
      return toasts.flatMap((toast) => {
        if (!toast.undo.includes(action.entry)) return [toast];
        const kept = (_: number, index: number) => toast.undo[index] !== action.entry;
        const undo = toast.undo.filter(kept);
        const amounts = toast.amounts.filter(kept);
        return undo.length > 0 ? [{ ...toast, undo, amounts, count: sum(amounts) }] : [];
      });
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

function show(toasts: readonly Toast[], { count = 1, ...next }: NewToast): readonly Toast[] {
  const amounts = next.undo.map(() => count);
  const same = toasts.find(
    (toast) =>
      toast.kind === next.kind &&
      toast.title === next.title &&
      toast.undo.length > 0 === next.undo.length > 0 &&
      (!isFailure(next.kind) || toast.detail === next.detail),
  );
  const shown: Toast = same
    ? {
        ...same,
        detail: next.detail,
        count: next.kind === "done" ? 1 : same.count + count,
        undo: [...same.undo, ...next.undo],
        amounts: [...same.amounts, ...amounts],
        retry: bothRetries(same.retry, next.retry),
        renewed: same.renewed + 1,
      }
    : { ...next, count, amounts, renewed: 0 };
  const list = same ? toasts.map((toast) => (toast === same ? shown : toast)) : [...toasts, shown];
  return atMost(list);
}

/** The oldest gives way; a notice only when there is nothing else. */
function atMost(list: readonly Toast[]): readonly Toast[] {
  if (list.length <= MOST_TOASTS) return list;
  const leaves = list.find((toast) => toast.kind !== "notice") ?? list[0];
  return list.filter((toast) => toast !== leaves);
}

/** What folded together is tried again together. */
function bothRetries(first: Toast["retry"], second: Toast["retry"]): Toast["retry"] {
  if (!first || !second) return second ?? first;
  return () => {
    first();
    second();
  };
}
