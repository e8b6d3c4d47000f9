/** What is tried before a file is given up, in this order. Pure. */

export interface Tried {
  /** The address was asked for since the card came near; an older one may have ended. */
  isFresh: boolean;
  url: string;
  fallbackUrl: string | null;
  /** After every address failed, the file was asked for once more. */
  looked: boolean;
}

export type Step =
  /** Ask for a new address. */
  | "reopen"
  /** Go to the other address. */
  | "swap"
  /** Ask whether the file is still there and the same: that is told rather than what the player made of it. */
  | "look"
  | "give_up";

export function nextStep({ isFresh, url, fallbackUrl, looked }: Tried): Step {
  if (!isFresh) return "reopen";
  if (fallbackUrl !== null && url !== fallbackUrl) return "swap";
  return looked ? "give_up" : "look";
}

/** Whether the file was replaced between two answers: the new one deserves its own try. */
export function isReplaced(
  before: { size: number; mime: string; name: string },
  after: { size: number; mime: string; name: string },
): boolean {
  return before.size !== after.size || before.mime !== after.mime || before.name !== after.name;
}
