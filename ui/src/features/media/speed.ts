/** How fast a player runs. Pure. */

/** Times the recorded speed, slowest first. */
export const SPEEDS: readonly number[] = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3];

/** The next speed of the list in this direction; the same one at its end. */
export function stepSpeed(speed: number, step: 1 | -1): number {
  const next = step > 0 ? SPEEDS.find((one) => one > speed) : SPEEDS.findLast((one) => one < speed);
  return next ?? speed;
}

/** `1.25×`. */
export function formatSpeed(speed: number): string {
  return `${speed}×`;
}
