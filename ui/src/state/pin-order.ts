/** Places among the pinned rows. Pure. */
import type { SessionRow } from "../ipc";

/**
 * The rank to ask the store for, so that a row stands at `to` among the others. Who holds that rank, and those behind,
 * move one on. `pinned`: the rows in view, in their order.
 */
export function rankAt(pinned: readonly SessionRow[], id: string, to: number): number {
  const others = pinned.filter((row) => row.id !== id);
  const there = others[to];
  if (there) return there.pin_rank ?? 0;
  return (others.at(-1)?.pin_rank ?? 0) + 1;
}

/** The rows as the store will have them once `id` was pinned at `rank`. */
export function pinnedAt(pinned: readonly SessionRow[], id: string, rank: number): SessionRow[] {
  const taken = pinned.some((row) => row.id !== id && row.pin_rank === rank);
  const placed = pinned.map((row) => {
    const own = row.pin_rank ?? 0;
    if (row.id === id) return { ...row, pin_rank: rank };
    return taken && own >= rank ? { ...row, pin_rank: own + 1 } : row;
  });
  return placed.sort((a, b) => (a.pin_rank ?? 0) - (b.pin_rank ?? 0));
}
