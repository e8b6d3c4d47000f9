/** Words of "Find in conversation" and of the zoom. */
import { counted } from "./counted";

export const find = {
  label: "Find in conversation",
  previous: "Previous match",
  next: "Next match",
  close: "Close find",
  /** `at` counts from 1 among the messages that hold the words. */
  position: (at: string, of: string) => `Message ${at} of ${of}`,
  matches: (n: string) => counted(n, "message", "messages"),
  none: "No match",
  searching: "Searching...",
  failed: (why: string) => `Not searched. ${why}`,
} as const;

export const zoom = {
  percent: (n: number) => `${n} %`,
  label: "Size of everything",
  hint: (larger: string, smaller: string, normal: string) =>
    `${larger} makes it larger, ${smaller} smaller, ${normal} gives back 100 %.`,
} as const;
