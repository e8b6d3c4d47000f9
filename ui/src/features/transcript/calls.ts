/** What of a row a reader sees, and which rows form one box of tool lines. Pure. */
import type { MessageRow } from "../../ipc/generated/MessageRow";
import type { ToolCall } from "../../ipc/generated/ToolCall";

export interface RowSource {
  readonly total: number;
  row(index: number): MessageRow | undefined;
}

/**
 * The calls of an assistant row that never got a result. Results follow their assistant row directly (notices may
 * stand between). Calls whose results may lie in rows not read yet are taken as answered.
 */
export function unansweredCalls(rows: RowSource, index: number): ToolCall[] {
  const calls = rows.row(index)?.tool_calls ?? [];
  if (calls.length === 0) return [];
  const open = [...calls];
  for (let next = index + 1; next < rows.total; next++) {
    const row = rows.row(next);
    if (row === undefined) return [];
    if (row.role === "notice") continue;
    if (row.role !== "tool") break;
    const result = row.tool;
    const answered =
      result?.call_id != null
        ? open.findIndex((call) => call.id === result.call_id)
        : open.findIndex((call) => call.name === result?.name);
    if (answered >= 0) open.splice(answered, 1);
    if (open.length === 0) return [];
  }
  return open;
}

/** An assistant row that only carries answered calls: its results stand for it. */
export function isBlank(row: MessageRow, unanswered: readonly ToolCall[]): boolean {
  return (
    row.role === "assistant" &&
    unanswered.length === 0 &&
    row.text.trim() === "" &&
    row.media.length === 0 &&
    !row.reasoning?.trim() &&
    !endsEarly(row.finish_reason)
  );
}

export function endsEarly(reason: string | null): "interrupted" | "length" | null {
  return reason === "interrupted" || reason === "length" ? reason : null;
}

export interface RowShape {
  blank: boolean;
  unanswered: ToolCall[];
  /** Its tool lines continue the box above, or go on below. */
  joinsAbove: boolean;
  joinsBelow: boolean;
}

export function shapeOf(rows: RowSource, index: number): RowShape {
  const row = rows.row(index);
  if (row === undefined) return { blank: true, unanswered: [], joinsAbove: false, joinsBelow: false };
  const unanswered = unansweredCalls(rows, index);
  const blank = isBlank(row, unanswered);
  return {
    blank,
    unanswered,
    joinsAbove: !blank && startsWithTools(row, unanswered) && neighbour(rows, index, -1, endsWithTools),
    joinsBelow: !blank && endsWithTools(row, unanswered) && neighbour(rows, index, 1, startsWithTools),
  };
}

function startsWithTools(row: MessageRow, unanswered: readonly ToolCall[]): boolean {
  if (row.role === "tool") return true;
  return unanswered.length > 0 && row.text.trim() === "" && row.media.length === 0 && !row.reasoning?.trim();
}

function endsWithTools(row: MessageRow, unanswered: readonly ToolCall[]): boolean {
  // A change of a file stands below its line.
  if (row.role === "tool") return row.tool?.change == null;
  return unanswered.length > 0 && !endsEarly(row.finish_reason);
}

function neighbour(
  rows: RowSource,
  index: number,
  step: -1 | 1,
  fits: (row: MessageRow, unanswered: readonly ToolCall[]) => boolean,
): boolean {
  for (let i = index + step; i >= 0 && i < rows.total; i += step) {
    const row = rows.row(i);
    if (row === undefined) return false;
    const unanswered = unansweredCalls(rows, i);
    if (!isBlank(row, unanswered)) return fits(row, unanswered);
  }
  return false;
}
