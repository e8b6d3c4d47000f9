/**
 * The heights of all rows of a transcript, measured or guessed, as a Fenwick tree: every question and every change
 * costs the logarithm of the number of rows, so that 50,000 open like 50. Pixels; pure.
 */
export interface Heights {
  readonly count: number;
  /** Height of all rows together. */
  readonly total: number;
  height(index: number): number;
  /** The top edge of a row; of `count`: the end. */
  offset(index: number): number;
  /** The row at a height; the first before the top, the last behind the end. -1 when there is none. */
  at(y: number): number;
  /** Whether the row was measured, so that a guess must not replace it. */
  isMeasured(index: number): boolean;
  /** Sets a measured height. True when it changed. */
  measure(index: number, height: number): boolean;
  /** Sets a guess for a row that was not measured. */
  guess(index: number, height: number): void;
}

/** `count` rows, each guessed at `estimate` pixels. */
export function createHeights(count: number, estimate: number): Heights {
  const own = new Float64Array(count).fill(estimate);
  const measured = new Uint8Array(count);
  const tree = new Float64Array(count + 1);
  for (let i = 1; i <= count; i++) {
    tree[i] = (tree[i] ?? 0) + estimate;
    const parent = i + (i & -i);
    if (parent <= count) tree[parent] = (tree[parent] ?? 0) + (tree[i] ?? 0);
  }
  let top = 1;
  while (top * 2 <= count) top *= 2;

  function offset(index: number): number {
    let sum = 0;
    for (let i = Math.max(0, Math.min(index, count)); i > 0; i -= i & -i) sum += tree[i] ?? 0;
    return sum;
  }

  function set(index: number, height: number): boolean {
    const difference = height - (own[index] ?? 0);
    if (difference === 0) return false;
    own[index] = height;
    for (let i = index + 1; i <= count; i += i & -i) tree[i] = (tree[i] ?? 0) + difference;
    return true;
  }

  return {
    count,
    get total() {
      return offset(count);
    },
    height: (index) => own[index] ?? 0,
    offset,
    at(y) {
      if (count === 0) return -1;
      let position = 0;
      let rest = y;
      for (let step = top; step > 0; step >>= 1) {
        const next = position + step;
        // Rows without height lie before the row that is really at this place.
        if (next <= count && (tree[next] ?? 0) <= rest) {
          position = next;
          rest -= tree[next] ?? 0;
        }
      }
      return Math.min(position, count - 1);
    },
    isMeasured: (index) => measured[index] === 1,
    measure(index, height) {
      if (index < 0 || index >= count) return false;
      measured[index] = 1;
      return set(index, height);
    },
    guess(index, height) {
      if (index >= 0 && index < count && measured[index] === 0) set(index, height);
    },
  };
}

/** The same rows with another length: what was measured stays. */
export function resized(before: Heights, count: number, estimate: number): Heights {
  const after = createHeights(count, estimate);
  for (let i = 0; i < Math.min(before.count, count); i++) {
    if (before.isMeasured(i)) after.measure(i, before.height(i));
    else after.guess(i, before.height(i));
  }
  return after;
}
