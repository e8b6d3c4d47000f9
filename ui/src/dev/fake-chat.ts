/** A host for the chat area alone: a transcript in memory. For the development page and for tests. */
import type { ErrorCode } from "../ipc/generated/ErrorCode";
import type { IpcError } from "../ipc/generated/IpcError";
import type { MediaOpenResponse } from "../ipc/generated/MediaOpenResponse";
import type { MediaTag } from "../ipc/generated/MediaTag";
import type { MessagePageRequest } from "../ipc/generated/MessagePageRequest";
import type { MessagePageResponse } from "../ipc/generated/MessagePageResponse";
import type { MessageRow } from "../ipc/generated/MessageRow";
import type { SessionRow } from "../ipc/generated/SessionRow";
import type { EventEnvelope } from "../ipc/generated/EventEnvelope";
import { FakeLive } from "./fake-live";
import type { CommandName, Platform, RequestOf, ResponseOf } from "../platform/types";

export function ipcError(code: ErrorCode, message: string): IpcError {
  return { code, message, retryable: false };
}

export function sessionRow(change: Partial<SessionRow> = {}): SessionRow {
  return {
    id: "s1",
    title: "Flaky seek test on WebKitGTK",
    preview: "The seek test fails about one run in twenty",
    created_at: 0,
    last_active: 0,
    message_count: 0,
    archived: false,
    is_active: false,
    unread: false,
    pinned: false,
    pin_rank: null,
    folder: "/home/u/code/talaria",
    workspace: "talaria",
    git_branch: "fix/seek-past-end",
    running: false,
    approvals: 0,
    model: null,
    source: "desktop",
    deleted_at: null,
    ...change,
  };
}

export function messageRow(index: number, change: Partial<MessageRow> = {}): MessageRow {
  return {
    id: `m${index}`,
    index,
    role: "user",
    text: `Message ${index}`,
    created_at: Date.now() - 3_600_000 + index * 1000,
    tool_calls: [],
    tool: null,
    notice: null,
    media: [],
    reasoning: null,
    finish_reason: null,
    ...change,
  };
}

/** Finds `MEDIA:/path` at the ends of lines. Enough for samples; the product takes the tags from the core. */
export function withTags(row: MessageRow): MessageRow {
  const media: MediaTag[] = [...row.text.matchAll(/MEDIA:(\S.*)$/gm)].map((match) => {
    const target = match[1] ?? "";
    const name = target.split("/").at(-1) ?? target;
    const extension = name.split(".").at(-1)?.toLowerCase() ?? "";
    const kind = /^https?:/.test(target)
      ? "remote"
      : /^(wav|mp3|m4a|opus|ogg|flac)$/.test(extension)
        ? "audio"
        : /^(mp4|webm|mkv|mov|avi)$/.test(extension)
          ? "video"
          : /^(png|jpe?g|gif|webp)$/.test(extension)
            ? "picture"
            : "file";
    return { start: match.index, end: match.index + match[0].length, target, kind, name };
  });
  return { ...row, media };
}

export interface FakeChat extends Platform {
  readonly live: FakeLive;
  /** Every call, in order. */
  calls: { name: CommandName; request: unknown }[];
  drafts: Map<string, string>;
  messages: MessageRow[];
  session: SessionRow;
  /** Answers of `media_open`, by path; an error is thrown. A missing one is `missing`. */
  media: Map<string, MediaOpenResponse | IpcError>;
  /** Thrown by the next calls of `message_page` until it is null again. */
  pageError: IpcError | null;
  /** Thrown by `draft_set` until it is null again. */
  draftError: IpcError | null;
  revealError: IpcError | null;
  /** The copy that `media_save` starts; null: the dialog was closed. */
  saveId: string | null;
  /** Thrown by `media_fallback` until it is null again. */
  fallbackError: IpcError | null;
}

export function fakeChat(messages: MessageRow[], session = sessionRow()): FakeChat {
  function page({ anchor, limit }: MessagePageRequest): MessagePageResponse {
    const all = fake.messages;
    const size = limit || 100;
    let from = 0;
    if (anchor.at === "end") from = all.length - size;
    else if (anchor.at === "before") from = anchor.index - size;
    else if (anchor.at === "from") from = anchor.index;
    else {
      const index = all.findIndex((row) => row.id === anchor.id);
      if (index < 0) throw ipcError("not_found", "This message is no longer there.");
      from = index - Math.floor(size / 2);
    }
    const start = Math.max(0, from);
    const end = anchor.at === "before" ? anchor.index : start + size;
    return { session: fake.session, messages: all.slice(start, end), total: all.length };
  }

  let sink: ((envelope: EventEnvelope) => void) | null = null;
  let seq = 0;
  const live = new FakeLive({
    send: (event) => sink?.({ seq: ++seq, event }),
    prompt: (id, text, replace) => {
      const at = replace === null ? -1 : fake.messages.findIndex((row) => row.id === replace);
      const kept = at < 0 ? fake.messages : fake.messages.slice(0, at);
      const row = messageRow(kept.length, { text, created_at: Date.now() });
      fake.messages = [...kept, at < 0 ? row : { ...row, id: `${replace}-again` }];
      return { sessionId: id ?? fake.session.id, total: fake.messages.length };
    },
    undo: () => {
      const at = fake.messages.findLastIndex((row) => row.role === "user");
      const removed = fake.messages.length - at;
      const text = fake.messages[at]?.text ?? "";
      fake.messages = fake.messages.slice(0, at);
      return { text, removed, total: at };
    },
  });

  const answers: { [K in CommandName]?: (request: RequestOf<K>) => ResponseOf<K> } = {
    message_page: (request) => {
      if (fake.pageError !== null) throw fake.pageError;
      return page(request);
    },
    draft_get: ({ session_id }) => ({ text: fake.drafts.get(session_id ?? "") ?? "", folder: null }),
    draft_set: ({ session_id, text }) => {
      if (fake.draftError !== null) throw fake.draftError;
      fake.drafts.set(session_id ?? "", text);
      return {};
    },
    media_open: ({ path }) => {
      const answer = fake.media.get(path) ?? ipcError("missing", "File is missing.");
      if ("code" in answer) throw answer;
      return answer;
    },
    media_position: () => ({}),
    media_fallback: () => {
      if (fake.fallbackError !== null) throw fake.fallbackError;
      return {};
    },
    save_reveal: () => ({}),
    media_save: () => ({ id: fake.saveId }),
    save_cancel: () => ({}),
    file_open: () => ({}),
    link_open: () => ({}),
    file_reveal: () => {
      if (fake.revealError !== null) throw fake.revealError;
      return {};
    },
  };

  Object.assign(answers, live.answers());

  const fake: FakeChat = {
    live,
    calls: [],
    drafts: new Map(),
    messages,
    session,
    media: new Map(),
    pageError: null,
    draftError: null,
    revealError: null,
    saveId: null,
    fallbackError: null,
    async call(name, request) {
      fake.calls.push({ name, request });
      await Promise.resolve();
      const answer = answers[name];
      if (answer === undefined) throw ipcError("internal", `The sample host has no "${name}".`);
      return answer(request);
    },
    attach(onEvent) {
      sink = onEvent;
      return Promise.resolve();
    },
  };
  return fake;
}
