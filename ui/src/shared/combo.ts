/** A field with a list of what fits: which entries fit, and where the keys go. Pure. */

/** Entries that hold the typed words; all of them as long as nothing new was typed. */
export function fitting(options: readonly string[], typed: string, fresh: boolean): readonly string[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (fresh || words.length === 0) return options;
  return options.filter((option) => words.every((word) => option.toLowerCase().includes(word)));
}

/** The entry after `from` in this direction, round the ends; `-1`: there is none. */
export function stepIn(count: number, from: number, step: 1 | -1): number {
  if (count === 0) return -1;
  if (from < 0) return step === 1 ? 0 : count - 1;
  return (from + step + count) % count;
}
