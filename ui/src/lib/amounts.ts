/** Numbers as people type them into settings. Pure. `null`: left empty; `undefined`: no such number. */

/** A whole number from 1, with or without separators of thousands. */
export function wholeOf(text: string): number | null | undefined {
  const plain = text.replace(/[\s,_]/g, "");
  if (plain === "") return null;
  return /^[1-9]\d{0,11}$/.test(plain) ? Number(plain) : undefined;
}

/** An amount of money from 0; a comma is a decimal point, too. */
export function amountOf(text: string): number | null | undefined {
  const plain = text.trim().replace(",", ".");
  if (plain === "") return null;
  return /^\d{1,9}(\.\d{1,9})?$/.test(plain) ? Number(plain) : undefined;
}
