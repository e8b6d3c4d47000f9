/** What a notice is called, by its card and by its article. Pure. */
import type { Notice } from "../../ipc/generated/Notice";
import { noticeTexts } from "../../lib/texts/chat";

/** The words in the head of its card. */
export function noticeTitle({ kind, failed }: Pick<Notice, "kind" | "failed">): string {
  switch (kind) {
    case "completion":
      return noticeTexts.processEnded;
    case "delegation":
      return failed ? noticeTexts.subAgentFailed : noticeTexts.subAgentFinished;
    case "watch_match":
      return noticeTexts.watchMatch;
    case "watch_disabled":
      return noticeTexts.watchDisabled;
    case "notice":
      return noticeTexts.notice;
  }
}

/** "Process ended, exit 1, 14:06": what the head of its card shows. `null`: a notice that was not taken apart. */
export function noticeName(notice: Notice | null, time: string): string {
  return [notice ? noticeTitle(notice) : noticeTexts.notice, notice?.state, time].filter(Boolean).join(", ");
}
