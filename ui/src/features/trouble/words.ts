/** What is said of a store in trouble. Pure. */
import type { RecoveryReport, StoreTrouble } from "../../ipc";
import { formatCount } from "../../lib/format";
import { shell, trouble as texts } from "../../lib/texts";
import { minutesFor } from "../../state/recovery.svelte";

/** The sentence under the title: how much can be read, where that is known; else the host's own words. */
export function sentence(trouble: StoreTrouble): string {
  const { readable, total } = trouble;
  if (trouble.code !== "damaged" || readable === null || total === null) return trouble.message;
  return texts.readable(formatCount(readable), formatCount(total));
}

/** How long a recovery of so many bytes takes. */
export function duration(bytes: number): string {
  const minutes = minutesFor(bytes);
  if (minutes === 0) return texts.lessThanAMinute;
  return minutes === 1 ? texts.aboutAMinute : texts.aboutMinutes(minutes);
}

/** `3,961 sessions and 201,404 messages are in the new store.` */
export function recovered(report: RecoveryReport): string {
  return texts.recoveredWords(
    shell.countSessions(report.sessions, formatCount(report.sessions)),
    shell.messageCount(report.messages, formatCount(report.messages)),
  );
}

/** How many sessions came back with holes; nothing when none did. */
export function incomplete(report: RecoveryReport): string {
  if (report.incomplete === 0) return "";
  return texts.incomplete(
    report.incomplete,
    shell.countSessions(report.incomplete, formatCount(report.incomplete)),
  );
}

/** `12 s`, `1 min 52 s`. */
export function took(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return texts.took(`${seconds} s`);
  return texts.took(`${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`);
}

/** The report as text to copy. */
export function asText(report: RecoveryReport): string {
  const tables = report.tables.map(
    (table) =>
      `${table.table}: ${texts.rows.toLowerCase()} ${formatCount(table.rows)}, ${texts.lost.toLowerCase()} ${formatCount(table.lost)}`,
  );
  return [
    texts.recovered,
    [recovered(report), incomplete(report)].filter(Boolean).join(" "),
    ...tables,
    `${texts.kept}: ${report.kept}`,
    took(report.elapsed_ms),
  ].join("\n");
}
