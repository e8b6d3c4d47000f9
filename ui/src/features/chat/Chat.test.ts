// @vitest-environment jsdom
import { cleanup, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { MessageRow } from "../../ipc/generated/MessageRow";
import { fakeChat, ipcError, messageRow, sessionRow, withTags } from "../../dev/fake-chat";
import { ConversationFind } from "../../state/find.svelte";
import { MediaSaves } from "../../state/saves.svelte";
import Chat from "./Chat.svelte";

const number = (rows: Partial<MessageRow>[]) => rows.map((row, index) => messageRow(index, row));

function show(rows: MessageRow[], change: Record<string, unknown> = {}) {
  const platform = fakeChat(rows);
  const props = {
    platform,
    session: platform.session,
    draftFolder: null,
    draftBranch: null,
    jump: null,
    find: new ConversationFind(platform),
    saves: new MediaSaves(platform, { toast: vi.fn(), closeToast: vi.fn() }),
    system: "linux",
    onMenu: vi.fn(),
    ...change,
  };
  return { ...render(Chat, props), platform, props };
}

// jsdom has the element and not its methods.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false;
};

afterEach(() => {
  cleanup();
});

describe("the chat area", () => {
  it("shows header, rows and composer by their names", async () => {
    const { props } = show(
      number([
        { text: "Why?" },
        { role: "assistant", text: "Because **so**." },
        {
          role: "tool",
          text: "ok",
          tool: {
            call_id: null,
            name: "terminal",
            arguments: '{"command":"ls"}',
            state: "failed",
            duration_ms: 310,
            change: null,
          },
        },
        {
          role: "notice",
          text: "",
          notice: {
            kind: "completion",
            source_id: "p1",
            state: "exit 101",
            failed: true,
            command: "cargo test",
            output: "panicked",
            child_session_id: null,
          },
        },
        { role: "summary", text: "Earlier." },
      ]),
    );
    const log = await screen.findByRole("log", { name: "Transcript" });
    await waitFor(() => expect(within(log).getAllByRole("article")).toHaveLength(4));
    const roles = within(log)
      .getAllByRole("article")
      .map((article) => [article.dataset.role, article.dataset.messageId]);
    expect(roles).toEqual([
      ["user", "m0"],
      ["assistant", "m1"],
      ["tool", "m2"],
      ["notice", "m3"],
    ]);
    // A divider is nobody's words.
    expect(log.querySelector<HTMLElement>('[data-message-id="m4"]')?.getAttribute("role")).toBe("group");
    const notice = log.querySelector<HTMLElement>("article[data-role=notice]");
    expect(notice?.dataset.notificationId).toBe("m3");
    expect(notice?.dataset.state).toBe("exit 101");
    expect(notice).toHaveTextContent("Process ended");
    expect(notice).toHaveAccessibleName(/^Process ended, exit 101, .*\d\d:\d\d$/);
    expect(screen.getByRole("main")).toHaveTextContent("fix/seek-past-end");
    expect(screen.getByRole("heading", { name: "Flaky seek test on WebKitGTK" })).toBeVisible();
    expect(screen.getByRole("textbox", { name: "Message" })).toHaveAttribute("spellcheck", "true");
    const send = screen.getByRole("button", { name: "Send" });
    expect(send).toHaveAttribute("aria-disabled", "true");
    expect(send).toHaveAccessibleDescription(/No model is connected yet/);
    expect(screen.getByText(/No model is connected yet/)).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Session menu" }));
    expect(props.onMenu).toHaveBeenCalledOnce();
    expect(screen.queryByRole("button", { name: "Open sidebar" })).toBeNull();
  });

  it("opens a tool line in place", async () => {
    show(
      number([
        {
          role: "tool",
          text: Array.from({ length: 30 }, (_, i) => `line ${i}`).join("\n"),
          tool: {
            call_id: null,
            name: "terminal",
            arguments: '{"command":"ls -l"}',
            state: "done",
            duration_ms: 310,
            change: null,
          },
        },
      ]),
    );
    const line = await screen.findByRole("button", { name: /terminal/ });
    expect(line).toHaveTextContent("ls -l");
    expect(line).toHaveTextContent("0.3 s");
    await userEvent.click(line);
    expect(screen.getByText("Output, last 12 of 30 lines")).toBeVisible();
    expect(screen.getByRole("group", { name: "Output" })).not.toHaveTextContent("line 17");
    await userEvent.click(screen.getByRole("button", { name: "Show all" }));
    expect(screen.getByRole("group", { name: "Output" })).toHaveTextContent("line 0");
  });

  it("hands a checked link to the host and never goes there itself", async () => {
    const { platform } = show(number([{ role: "assistant", text: "[site](https://example.org/x)" }]));
    const link = await screen.findByRole("link", { name: "site" });
    expect(link).toHaveAttribute("title", "example.org\nhttps://example.org/x");
    const click = new MouseEvent("click", { bubbles: true, cancelable: true });
    link.dispatchEvent(click);
    expect(click.defaultPrevented).toBe(true);
    expect(platform.calls.at(-1)).toEqual({ name: "link_open", request: { url: "https://example.org/x" } });
  });

  it("asks before it shows a linked file in its folder, with the whole path in view", async () => {
    const { platform } = show(
      number([{ role: "assistant", text: "[notes](file:///srv/a%20b/not%E2%80%AEes.txt)" }]),
    );
    const path = "/srv/a b/not<U+202E>es.txt";
    const link = await screen.findByRole("link", { name: `notes ${path}` });
    const open = async () => {
      await userEvent.click(link);
      return screen.findByRole("dialog", { name: "Show not<U+202E>es.txt in its folder?" });
    };
    const question = await open();
    expect(platform.calls.at(-1)).toEqual({
      name: "media_open",
      request: { session_id: "s1", path: "/srv/a b/not\u202ees.txt" },
    });
    expect(question).toHaveTextContent(path);
    expect(within(question).getByRole("button", { name: "Cancel" })).toHaveFocus();
    await userEvent.click(within(question).getByRole("button", { name: "Cancel" }));
    expect(platform.calls.map((call) => call.name)).not.toContain("file_reveal");

    platform.revealError = ipcError("missing", "File is missing.");
    await userEvent.click(within(await open()).getByRole("button", { name: "Reveal" }));
    expect(platform.calls.at(-1)).toEqual({
      name: "file_reveal",
      request: { session_id: "s1", path: "file:///srv/a%20b/not%E2%80%AEes.txt" },
    });
    expect(await screen.findByRole("alert")).toHaveTextContent("File is missing.");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("leads from a linked file to its card when the session plays it", async () => {
    const text = "[clip](file:///srv/clip.wav)\n\nMEDIA:/srv/clip.wav";
    const start = text.indexOf("MEDIA:");
    const tag = {
      start,
      end: text.length,
      target: "/srv/clip.wav",
      kind: "audio",
      name: "clip.wav",
    } as const;
    const platform = fakeChat(number([{ role: "assistant", text, media: [tag] }]));
    platform.media.set("/srv/clip.wav", {
      url: "http://127.0.0.1:9/x",
      fallback_url: null,
      kind: "audio",
      mime: "audio/wav",
      size: 10,
      position: 0,
      name: "clip.wav",
    });
    show([], { platform, session: platform.session });
    const link = await screen.findByRole("link", { name: /^clip/ });
    const card = document.querySelector<HTMLElement>('[data-target="/srv/clip.wav"]');
    let shown = 0;
    if (card !== null) card.scrollIntoView = () => void (shown += 1);
    await userEvent.click(link);
    await waitFor(() => expect(shown).toBe(1));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("says why messages could not be read, and reads them on a click", async () => {
    const platform = fakeChat(number([{ text: "hello" }]));
    platform.pageError = ipcError("damaged", "The store is damaged.");
    show([], { platform, session: platform.session });
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("Messages could not be read.");
    expect(alert).toHaveTextContent("The store is damaged.");
    platform.pageError = null;
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("hello")).toBeVisible();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows a draft as a new session with its folder and branch, and keeps what is typed", async () => {
    const { platform } = show([], { session: null, draftFolder: "/code/orchard-api", draftBranch: "main" });
    expect(screen.getByRole("heading", { name: "New session" })).toBeVisible();
    expect(screen.getByRole("main")).toHaveTextContent("orchard-api");
    expect(screen.queryByRole("log")).toBeNull();
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "later");
    await waitFor(() => expect(platform.drafts.get("")).toBe("later"));
    expect(platform.calls.at(-1)?.request).toEqual({ text: "later", folder: "/code/orchard-api" });
  });

  it("never shows one session's draft or rows in another", async () => {
    const { platform, rerender } = show(number([{ text: "of the first" }]));
    const field = screen.getByRole("textbox", { name: "Message" });
    await screen.findByText("of the first");
    await userEvent.type(field, "mine");
    platform.messages = number([{ text: "of the second", id: "x0" }]);
    await rerender({ session: sessionRow({ id: "s2", title: "Second" }) });
    expect(field).toHaveValue("");
    expect(await screen.findByText("of the second")).toBeVisible();
    expect(screen.queryByText("of the first")).toBeNull();
    await waitFor(() => expect(platform.drafts.get("s1")).toBe("mine"));
    await rerender({ session: platform.session });
    await waitFor(() => expect(field).toHaveValue("mine"));
  });

  it("tells when a draft could not be stored, and stores it on a click", async () => {
    const { platform } = show(number([{ text: "x" }]));
    platform.draftError = ipcError("disk_full", "The disk is full.");
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "kept");
    expect(await screen.findByText(/Draft not saved/)).toBeVisible();
    platform.draftError = null;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(platform.drafts.get("s1")).toBe("kept"));
    await waitFor(() => expect(screen.queryByText(/Draft not saved/)).toBeNull());
  });

  it("is one tab stop, and the arrows move from row to row", async () => {
    show(
      number([{ text: "one" }, { role: "assistant", text: "[two](https://example.org)" }, { text: "three" }]),
    );
    await screen.findByText("three");
    const log = screen.getByRole("log");
    const stops = () => [
      ...log.querySelectorAll<HTMLElement>("[tabindex='0'], a:not([tabindex]), button:not([tabindex])"),
    ];
    const focused = () => (document.activeElement as HTMLElement).dataset.messageId;
    log.querySelector<HTMLElement>("article[tabindex='0']")?.focus();
    await userEvent.keyboard("{Home}");
    expect(focused()).toBe("m0");
    await userEvent.keyboard("{ArrowDown}");
    expect(focused()).toBe("m1");
    await waitFor(() =>
      expect(stops().every((stop) => stop.closest("article")?.dataset.messageId === "m1")).toBe(true),
    );
    expect(log.querySelectorAll("article[tabindex='0']")).toHaveLength(1);
    await userEvent.keyboard("{End}");
    expect(focused()).toBe("m2");
    await userEvent.keyboard("{ArrowUp}");
    expect(focused()).toBe("m1");
  });

  it("opens around a message it is sent to and marks it", async () => {
    const rows = Array.from({ length: 2000 }, (_, index) => messageRow(index));
    const { platform } = show(rows, { jump: { messageId: "m700" } });
    await waitFor(() => expect(document.querySelector(".marked")).not.toBeNull());
    expect(document.querySelector<HTMLElement>(".marked")?.dataset.messageId).toBe("m700");
    expect(platform.calls.find((call) => call.name === "message_page")?.request).toMatchObject({
      anchor: { at: "message", id: "m700" },
    });
  });

  it("opens at the end when the message it is sent to is gone", async () => {
    show(number([{ text: "still here" }]), { jump: { messageId: "nowhere" } });
    expect(await screen.findByText("still here")).toBeVisible();
  });

  it("opens 50,000 messages with one page and a window of rows", async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => messageRow(index));
    const { platform } = show(rows);
    await waitFor(() => expect(document.querySelectorAll("article").length).toBeGreaterThan(0));
    expect(document.querySelectorAll("article").length).toBeLessThanOrEqual(81);
    const pages = platform.calls.filter((call) => call.name === "message_page");
    expect(pages.length).toBeLessThanOrEqual(2);
    expect(pages[0]?.request).toMatchObject({ anchor: { at: "end" } });
  });

  it("keeps the row that plays while the reader scrolls on, until it stops", async () => {
    for (const method of ["pause", "load"] as const)
      vi.spyOn(HTMLMediaElement.prototype, method).mockImplementation(() => undefined);
    const rows = Array.from({ length: 90 }, (_, index) => messageRow(index));
    rows[89] = withTags(messageRow(89, { role: "assistant", text: "MEDIA:/out/talk.mp3" }));
    const platform = fakeChat(rows);
    platform.media.set("/out/talk.mp3", {
      url: "hermes-media://localhost/stream/1/talk.mp3",
      fallback_url: null,
      kind: "audio",
      mime: "audio/mpeg",
      size: 1,
      position: 0,
      name: "talk.mp3",
    });
    show([], { platform, session: platform.session });
    await waitFor(() => expect(document.querySelector("audio")).not.toBeNull());
    const audio = document.querySelector("audio");
    const log = screen.getByRole("log");
    const scrollTo = (top: number) => {
      log.scrollTop = top;
      log.dispatchEvent(new Event("scroll"));
    };
    audio?.dispatchEvent(new Event("play"));
    scrollTo(0);
    expect(await screen.findByText("Message 0")).toBeVisible();
    expect(screen.queryByText("Message 88")).toBeNull();
    expect(document.querySelector("audio")).toBe(audio);
    expect(audio).toHaveAttribute("src");
    audio?.dispatchEvent(new Event("pause"));
    await waitFor(() => expect(document.querySelector("audio")).toBeNull());
  });

  it("says in place that older rows could not be read, and reads them on a click", async () => {
    const rows = Array.from({ length: 2000 }, (_, index) => messageRow(index));
    const { platform } = show(rows);
    await screen.findByText("Message 1999");
    platform.pageError = ipcError("busy", "The store is busy.");
    document.querySelector<HTMLElement>("article[tabindex='0']")?.focus();
    await userEvent.keyboard("{Home}");
    const again = await screen.findByRole("button", { name: "Try again" });
    expect(screen.getByText(/Messages could not be read/)).toBeVisible();
    platform.pageError = null;
    await userEvent.click(again);
    expect(await screen.findByText("Message 0")).toBeVisible();
    expect(screen.queryByText(/could not be read/)).toBeNull();
  });

  it("follows new rows at the end without losing what is shown", async () => {
    const { platform, rerender } = show(number([{ text: "first" }]));
    await screen.findByText("first");
    platform.messages = number([{ text: "first" }, { role: "assistant", text: "second" }]);
    await rerender({ session: { ...platform.session, message_count: 2 } });
    expect(await screen.findByText("second")).toBeVisible();
    expect(screen.getByText("first")).toBeVisible();
  });

  it("shows calls that never got a result", async () => {
    show(
      number([
        {
          role: "assistant",
          text: "I will push.",
          tool_calls: [{ id: "a", name: "terminal", arguments: '{"command":"git push"}' }],
        },
      ]),
    );
    const line = await screen.findByRole("button", { name: /terminal/ });
    expect(line).toHaveTextContent("No result");
    await userEvent.click(line);
    expect(screen.getByText(/No result of this call is stored/)).toBeVisible();
  });

  it("keeps reasoning and summaries behind a disclosure", async () => {
    show(
      number([
        { role: "summary", text: "What was before." },
        { role: "assistant", text: "Answer.", reasoning: "Secretly." },
      ]),
    );
    await screen.findByText("Answer.");
    expect(screen.queryByText("Secretly.")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Reasoning" }));
    expect(screen.getByText("Secretly.")).toBeVisible();
    await userEvent.click(screen.getByRole("button", { name: "Earlier messages were summarised" }));
    expect(screen.getByText("What was before.")).toBeVisible();
  });
});
