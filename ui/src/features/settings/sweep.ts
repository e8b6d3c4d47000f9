/** The limit of the automatic archive, in days without activity. Pure. */

export const DEFAULT_DAYS = 30;
const MOST_DAYS = 3650;

/** What was typed, as the store takes it; `null` when it is no whole number from 1 to 3,650. */
export function daysOf(typed: string): number | null {
  const words = typed.trim();
  if (!/^\d{1,4}$/.test(words)) return null;
  const days = Number(words);
  return days >= 1 && days <= MOST_DAYS ? days : null;
}

/** Turning it on, or a shorter limit, archives sessions: what it takes is shown first. `limit` 0: it is off. */
export function needsPreview(limit: number, days: number): boolean {
  return limit === 0 || days < limit;
}
