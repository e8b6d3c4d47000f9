/** What a line of the start's log is about. Pure; the format is that of the core: time, step, detail. */

/** The step before it failed, or a program's own output says so. */
const ERROR = /^\s*[\d.:]+(?: s)?\s+(?:error(?:\s|$)|\S+\s+(?:error|fatal):)/i;

export function tellsError(line: string): boolean {
  return ERROR.test(line);
}
