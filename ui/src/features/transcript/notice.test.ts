import { describe, expect, it } from "vitest";
import type { Notice } from "../../ipc/generated/Notice";
import { noticeName } from "./notice";

const notice = (change: Partial<Notice>): Notice => ({
  kind: "completion",
  source_id: "p1",
  state: "exit 1",
  failed: true,
  command: "cargo test",
  output: "",
  child_session_id: null,
  ...change,
});

describe("the name of a notice", () => {
  it.each([
    [notice({}), "Process ended, exit 1, 14:06"],
    [notice({ kind: "delegation", state: "done", failed: false }), "Sub-agent finished, done, 14:06"],
    [notice({ kind: "delegation", state: "error" }), "Sub-agent failed, error, 14:06"],
    [notice({ kind: "watch_match", state: "READY matched" }), "Output matched, READY matched, 14:06"],
    [notice({ kind: "notice", state: "" }), "Notice, 14:06"],
    [null, "Notice, 14:06"],
  ])("tells what its card shows (%#)", (shown, name) => expect(noticeName(shown, "14:06")).toBe(name));
});
