/** The order of the groups: folders as the user put them first, the others by activity. Pure. `""`: without a folder. */

/** `shown`, by activity, in the order that the user gave: those named in `order` first. */
export function arranged<T>(
  shown: readonly T[],
  order: readonly string[],
  folderOf: (group: T) => string,
): T[] {
  if (order.length === 0) return [...shown];
  const places = new Map(order.map((folder, index) => [folder, index]));
  const named = shown.filter((group) => places.has(folderOf(group)));
  named.sort((a, b) => (places.get(folderOf(a)) ?? 0) - (places.get(folderOf(b)) ?? 0));
  return [...named, ...shown.filter((group) => !places.has(folderOf(group)))];
}

/**
 * The order to keep after one of the shown folders was moved to the place `to` among them. Only as many are named as it
 * takes to hold that place: the groups behind still follow their activity. Folders that are not shown now keep the
 * neighbour they had.
 */
export function orderAfterMove(
  shown: readonly string[],
  order: readonly string[],
  folder: string,
  to: number,
): string[] {
  const from = shown.indexOf(folder);
  if (from < 0) return [...order];
  const moved = shown.toSpliced(from, 1).toSpliced(to, 0, folder);
  const named = new Set(order);
  const last = Math.max(
    moved.indexOf(folder),
    moved.findLastIndex((other) => named.has(other)),
  );
  const next = moved.slice(0, last + 1);
  order.forEach((other, index) => {
    if (next.includes(other)) return;
    const before = order[index - 1];
    next.splice(before === undefined ? 0 : next.indexOf(before) + 1, 0, other);
  });
  return next;
}
