import { describe, expect, test } from "vitest";
import { tellsError } from "./log";

describe("a line of the start's log", () => {
  test.each([
    "    4.9 s  error  Another Talaria (process 4711) uses this data folder.",
    "  120.0 s  error",
    "14:02:16  stderr  error: address already in use (127.0.0.1:8642)",
  ])("tells an error: %s", (line) => expect(tellsError(line)).toBe(true));

  test.each([
    "    0.0 s  lock   /home/ada/error/owner.lock",
    "    0.1 s  open   /home/ada/.local/share/talaria",
    "    4.9 s  errors none",
    "14:02:11  open    error logs",
    "error",
    "",
  ])("tells none: %s", (line) => expect(tellsError(line)).toBe(false));
});
