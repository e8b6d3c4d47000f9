/** Numbers, ages, dates and sizes as people read them. Pure; `now` is passed in. All times are milliseconds UTC. */
import { shell } from "./texts/shell";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

const grouped = new Intl.NumberFormat("en");
// Three letters for every month; British English writes "Sept".
const month = new Intl.DateTimeFormat("en-US", { month: "short" });
const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" });

function dayMonth(at: number): string {
  return `${new Date(at).getDate()} ${month.format(at)}`;
}

function monthYear(at: number): string {
  return `${month.format(at)} ${new Date(at).getFullYear()}`;
}

/** `4,812`. */
export function formatCount(n: number): string {
  return grouped.format(n);
}

/** `1,000+` for a count that stopped. */
export function formatCapped(count: { n: number; more: boolean }): string {
  return `${grouped.format(count.n)}${count.more ? "+" : ""}`;
}

/** `now`, `4m`, `3h`, `2d` up to a week, then `3 Feb`, then (another year) `Feb 2024`. A time to come is `now`. */
export function formatAge(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h`;
  if (age < WEEK) return `${Math.floor(age / DAY)}d`;
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? dayMonth : monthYear)(at);
}

/** The age as it is spoken: `4 minutes ago`. */
export function spokenAge(at: number, now: number): string {
  const age = now - at;
  if (age < MINUTE) return "just now";
  const say = (n: number, unit: string) => `${n} ${unit}${n === 1 ? "" : "s"} ago`;
  if (age < HOUR) return say(Math.floor(age / MINUTE), "minute");
  if (age < DAY) return say(Math.floor(age / HOUR), "hour");
  if (age < WEEK) return say(Math.floor(age / DAY), "day");
  return formatAge(at, now);
}

/** `Today`, `Yesterday`, `3 Feb`, `Feb 2024`, by the calendar of this computer. */
export function formatDay(at: number, now: number): string {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  if (at >= midnight.getTime()) return shell.today;
  midnight.setDate(midnight.getDate() - 1);
  if (at >= midnight.getTime()) return shell.yesterday;
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (sameYear ? dayMonth : monthYear)(at);
}

/** Date and time in full, for a tooltip. */
export function formatMoment(at: number): string {
  return whole.format(at);
}

/** `840 B`, `12 KB`, `1.4 GB`; powers of 1,000. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 1 && value < 100 ? value.toFixed(1) : String(Math.round(value));
  return `${digits.replace(/\.0$/, "")} ${units[unit]}`;
}

/** `about 40 s`, `about 3 min`, for work that runs; `null` while nothing can be said. */
export function formatRest(ms: number | null): string | null {
  if (ms === null || !Number.isFinite(ms)) return null;
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return `about ${seconds > 10 ? Math.ceil(seconds / 5) * 5 : seconds} s left`;
  return `about ${Math.ceil(seconds / 60)} min left`;
}

/** `0:47`, `32:40`, `1:02:03` for whole seconds, as players show them. */
export function formatClock(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}
