/** A unified diff as lines to draw. Pure. */
export interface DiffLine {
  kind: "plus" | "minus" | "same" | "head";
  text: string;
}

/** The head of the file is left out: its path stands on the card. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@"));
  return lines.slice(Math.max(0, first)).map((text) => {
    if (text.startsWith("@@") || text.startsWith("\\")) return { kind: "head", text };
    if (text.startsWith("+")) return { kind: "plus", text };
    return text.startsWith("-") ? { kind: "minus", text } : { kind: "same", text };
  });
}
