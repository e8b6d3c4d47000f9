/** The words of an approval as a person must see them: whole, and nothing in them unseen. Pure. */
import { madeVisible } from "../../markdown/links";

/** Lines stay lines and tabs tabs; every other character that cannot be seen, or turns the text, shows its number. */
export function shownCommand(text: string): string {
  return text
    .split("\n")
    .map((line) => line.split("\t").map(madeVisible).join("\t"))
    .join("\n");
}

/** `/home/ada/code/talaria` as a place on a card: its last two parts. */
export function shortFolder(folder: string | null): string | null {
  if (folder === null) return null;
  const parts = folder.split(/[/\\]/).filter(Boolean);
  return madeVisible(parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : folder);
}
