/** The last lines of an output, without reading all of it into lines. Pure. */

/** Characters that are parsed and drawn at the most; longer outputs show their end. */
export const MAX_SHOWN = 256 * 1024;

export interface Tail {
  text: string;
  /** Lines in `text`. */
  shown: number;
  /** Lines of the whole output. */
  lines: number;
  /** Whether even "all" leaves out the beginning. */
  shortened: boolean;
}

/** The last `count` lines, or (`count` absent) all that may be drawn. A line end at the very end counts for nothing. */
export function tailOf(output: string, count?: number): Tail {
  const end = output.endsWith("\n") ? output.length - 1 : output.length;
  if (end <= 0) return { text: "", shown: 0, lines: 0, shortened: false };
  let lines = 1;
  for (let at = output.indexOf("\n"); at >= 0 && at < end; at = output.indexOf("\n", at + 1)) lines++;
  let start = 0;
  if (count !== undefined && lines > count) {
    start = end;
    for (let left = count; left > 0; left--) start = output.lastIndexOf("\n", start - 1);
    start++;
  }
  const shortened = end - start > MAX_SHOWN;
  if (shortened) {
    const cut = output.indexOf("\n", end - MAX_SHOWN);
    start = cut >= 0 && cut < end ? cut + 1 : end - MAX_SHOWN;
  }
  const text = output.slice(start, end);
  let shown = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) shown++;
  return { text, shown, lines, shortened };
}
