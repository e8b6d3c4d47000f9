/** The last exchange of a transcript, by the rows that are here. Pure. */
import type { RowSource } from "./calls";

/** The last prompt; null when it is not read yet, or there is none. */
export function lastPrompt(rows: RowSource): string | null {
  for (let index = rows.total - 1; index >= 0; index--) {
    const row = rows.row(index);
    if (row === undefined) return null;
    if (row.role === "user") return row.id;
    // What stands before a summary is the model's no more.
    if (row.role === "summary") return null;
  }
  return null;
}

/** The last answer, when the transcript ends with it. */
export function lastAnswer(rows: RowSource): string | null {
  const row = rows.row(rows.total - 1);
  return row?.role === "assistant" ? row.id : null;
}

/** The answer whose calls may be under way: nothing but their results stands below it. */
export function lastCaller(rows: RowSource): string | null {
  for (let index = rows.total - 1; index >= 0; index--) {
    const row = rows.row(index);
    if (row === undefined) return null;
    if (row.role === "assistant") return row.tool_calls.length > 0 ? row.id : null;
    if (row.role !== "tool" && row.role !== "notice") return null;
  }
  return null;
}
