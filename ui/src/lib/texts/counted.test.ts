import { expect, test } from "vitest";
import { toolTexts, markdownTexts } from "./chat";
import { shell } from "./shell";

test("a number and its noun agree", () => {
  expect(shell.found("1", "0")).toBe("1 title, 0 messages");
  expect(shell.found("1,000+", "1")).toBe("1,000+ titles, 1 message");
  expect(shell.importProgress("0", "1", null)).toBe("0 of 1 session");
  expect(shell.importedOf("1", "2")).toBe("1 of 2 sessions imported");
  expect(toolTexts.outputTail(1, 1)).toBe("Output, last 1 of 1 line");
  expect(markdownTexts.showMoreText(1)).toBe("Show more (1 character left)");
});
