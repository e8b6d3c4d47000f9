/** An import's report in words. Pure. */
import type { ImportReport } from "../../ipc";
import { formatCount } from "../../lib/format";
import { shell } from "../../lib/texts";

const n = formatCount;

function some(count: number, one: string, many: string): string | null {
  return count > 0 ? `${n(count)} ${count === 1 ? one : many}` : null;
}

/** `4,806 of 4,812 sessions imported`, or how far it came before it was cancelled. Sessions that were here already count as neither. */
export function headline(report: ImportReport): string {
  if (report.cancelled) return shell.importCancelledAt(n(report.sessions), n(report.source_sessions));
  if (report.sessions === 0 && report.unchanged > 0) return shell.importNothingNew;
  return shell.importedOf(n(report.sessions), n(report.source_sessions));
}

/** The short lines under the headline: what came, then what was left out and why. */
export function summary(report: ImportReport): string[] {
  const came = [
    some(report.messages, "message", "messages"),
    some(report.archived, "archived", "archived"),
    some(report.listed, "new in the lists", "new in the lists"),
  ].filter((part) => part !== null);
  const lines = came.length > 0 ? [came.join(", ")] : [];
  if (report.unchanged > 0) lines.push(`${n(report.unchanged)} already here, left alone`);
  for (const [reason, count] of byReason(report)) lines.push(`${n(count)} skipped: ${reason}`);
  return lines;
}

function byReason(report: ImportReport): Map<string, number> {
  const counts = new Map<string, number>();
  for (const skip of report.skipped) {
    // "damaged row: ..." tells its detail in the report; the summary names the kind.
    const reason = skip.reason.split(":")[0] ?? skip.reason;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return counts;
}

/** Everything the report knows, as pairs of a name and its words. */
export function details(report: ImportReport): { name: string; words: string }[] {
  return [
    { name: "Store", words: report.path },
    {
      name: "In the store",
      words: `${n(report.source_sessions)} sessions, ${n(report.source_messages)} messages`,
    },
    { name: "Brought in", words: `${n(report.sessions)} sessions, ${n(report.messages)} messages` },
    { name: "New in the lists", words: n(report.listed) },
    { name: "Continued over several sessions", words: n(report.lineages) },
    { name: "Branches", words: n(report.branches) },
    { name: "Sub-agent sessions, kept but not listed", words: n(report.delegate_children) },
    { name: "Notices", words: n(report.notices) },
    { name: "Tool calls", words: n(report.tool_calls) },
    { name: "Archived", words: n(report.archived) },
    { name: "Without a readable message", words: n(report.empty) },
    { name: "Messages kept but not shown", words: n(report.unshown_messages) },
    { name: "Already here, left alone", words: n(report.unchanged) },
    { name: "Sessions before", words: counts(report.before) },
    { name: "Sessions after", words: counts(report.after) },
    { name: "Time", words: `${(report.elapsed_ms / 1000).toFixed(1)} s` },
  ];
}

function counts(of: ImportReport["before"]): string {
  return `${n(of.active)} active, ${n(of.archived)} archived, ${n(of.trash)} deleted`;
}

/** The report as text to copy. */
export function asText(report: ImportReport): string {
  const lines = [headline(report), ...details(report).map((line) => `${line.name}: ${line.words}`)];
  for (const skip of report.skipped) {
    lines.push(`Skipped: ${skip.title ?? shell.untitled} (${skip.origin_id}): ${skip.reason}`);
  }
  return lines.join("\n");
}
