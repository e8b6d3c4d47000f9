/** The words of the chat area: header, transcript, Markdown, media cards and composer. */
import type { MediaKind } from "../../ipc/generated/MediaKind";
import type { NoticeKind } from "../../ipc/generated/NoticeKind";

export const chatTexts = {
  newSession: "New session",
  untitled: "Untitled session",
  openSidebar: "Open sidebar",
  menu: "Session menu",
  folder: (path: string) => `Folder ${path}`,
  branch: (name: string) => `Git branch ${name}`,

  composer: {
    message: "Message",
    send: "Send",
    noModel: "No model is connected yet",
    whatWorks: "You can read everything, and drafts are kept.",
    draftNotSaved: "Draft not saved.",
    tryAgain: "Try again",
  },
} as const;

export type ChatMediaKind = MediaKind | "file";
export type ChatNoticeKind = NoticeKind;
