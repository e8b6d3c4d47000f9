/** Find in conversation, branch, duplicate, export and zoom, as the whole window has them. */
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test } from "vitest";
import App from "../App.svelte";
import { messageRow } from "../dev/fake-chat";
import { FakeHost, refusal, session, type FakeOptions } from "../test/fake";

const now = Date.now();
const TEXTS = ["red", "blue", "red and blue", "green", "the RED end"];
const messages = TEXTS.map((text, index) =>
  messageRow(index, { text, role: index % 2 === 0 ? "user" : "assistant" }),
);

async function open(options: FakeOptions = {}) {
  const host = new FakeHost({
    sessions: [
      session("a", { title: "First", last_active: now - 2, message_count: 5 }),
      session("b", { title: "Second", last_active: now - 3, message_count: 5 }),
    ],
    messages: () => messages,
    ...options,
  });
  render(App, { platform: host });
  const user = userEvent.setup();
  await user.click(await screen.findByRole("row", { name: /^First,/ }));
  const log = await screen.findByRole("log", { name: "Transcript" });
  await waitFor(() => expect(within(log).getAllByRole("article").length).toBeGreaterThan(0));
  return { host, user, log };
}

async function choose(user: ReturnType<typeof userEvent.setup>, entry: RegExp) {
  await user.click(screen.getByRole("button", { name: "Actions for First" }));
  await user.click(screen.getByRole("menuitem", { name: entry }));
}

const bar = () => screen.getByRole("search", { name: "Find in conversation" });
const field = () => within(bar()).getByRole("searchbox", { name: "Find in conversation" });
const called = (host: FakeHost, name: string) =>
  host.calls.filter((call) => call.name === name).map((call) => call.request);

beforeEach(() => localStorage.clear());

describe("find in conversation", () => {
  async function typed(words: string) {
    const opened = await open();
    screen.getByRole("textbox", { name: "Message" }).focus();
    await opened.user.keyboard("{Control>}f{/Control}");
    await waitFor(() => expect(field()).toHaveFocus());
    await opened.user.keyboard(words);
    return opened;
  }
  const said = () => within(bar()).getByRole("status");

  test("opens by Ctrl F, counts, goes on by Enter, and Escape gives the focus back", async () => {
    const { user } = await typed("red");
    await waitFor(() => expect(said()).toHaveTextContent("3 of 3"));
    await user.keyboard("{Enter}");
    expect(said()).toHaveTextContent("1 of 3");
    await user.keyboard("{Shift>}{Enter}{/Shift}{Escape}");
    expect(screen.queryByRole("search", { name: "Find in conversation" })).toBeNull();
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus());
  });

  test("goes on by F3, Ctrl G and buttons", async () => {
    const { user } = await typed("red");
    await waitFor(() => expect(said()).toHaveTextContent("3 of 3"));
    await user.keyboard("{F3}{Control>}g{/Control}{Shift>}{F3}{/Shift}");
    expect(said()).toHaveTextContent("1 of 3");
    await user.click(within(bar()).getByRole("button", { name: "Next match" }));
    expect(said()).toHaveTextContent("2 of 3");
    await user.click(within(bar()).getByRole("button", { name: "Previous match" }));
    expect(said()).toHaveTextContent("1 of 3");
  });

  test("keeps its words for the next session, and does nothing in a draft", async () => {
    const { user } = await open();
    await user.keyboard("{Control>}f{/Control}");
    await waitFor(() => expect(field()).toHaveFocus());
    await user.keyboard("zeppelin");
    await waitFor(() => expect(within(bar()).getByRole("status")).toHaveTextContent("No match"));
    expect(within(bar()).getByRole("button", { name: "Next match" })).toBeDisabled();
    await user.click(screen.getByRole("row", { name: /^Second,/ }));
    await waitFor(() => expect(field()).toHaveValue("zeppelin"));
    await user.keyboard("{Control>}n{/Control}");
    await waitFor(() => expect(screen.queryByRole("search", { name: "Find in conversation" })).toBeNull());
    await user.keyboard("{Control>}f{/Control}");
    expect(screen.queryByRole("search", { name: "Find in conversation" })).toBeNull();
  });

  test("opens what is folded up when the words are in there", async () => {
    const tool = messageRow(0, {
      role: "tool",
      text: "one\ntwo\nzeppelin",
      tool: { call_id: null, name: "terminal", arguments: "{}", state: "done", duration_ms: 3, change: null },
    });
    const summary = messageRow(1, { role: "summary", text: "The **blimp** flew." });
    const { user, log } = await open({ messages: () => [tool, summary] });
    await user.keyboard("{Control>}f{/Control}");
    await waitFor(() => expect(field()).toHaveFocus());
    await user.keyboard("zeppelin");
    await waitFor(() => expect(log).toHaveTextContent("zeppelin"));
    expect(log).not.toHaveTextContent("blimp");
    await user.clear(field());
    await user.type(field(), "blimp");
    await waitFor(() => expect(log).toHaveTextContent("blimp flew."));
  });
});

describe("copies of a session", () => {
  test("a branch from a message opens, says so, and Undo goes back", async () => {
    const { host, user, log } = await open();
    const second = within(log).getAllByRole("article")[1]!;
    await user.click(within(second).getByRole("button", { name: "Branch from here" }));
    expect(await screen.findByRole("heading", { name: "First #2" })).toBeInTheDocument();
    expect(called(host, "session_branch")).toEqual([{ id: "a", message_id: "m1" }]);
    await waitFor(() => expect(screen.getAllByRole("row")[1]).toHaveAccessibleName(/^First #2,/));
    const toast = screen.getByText("Branched").closest<HTMLElement>("[role=status]")!;
    await user.click(within(toast).getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.row("a-copy").deleted_at).not.toBeNull());
    expect(await screen.findByRole("heading", { name: "First" })).toBeInTheDocument();
  });

  test("the menu branches at the newest message and duplicates everything", async () => {
    const { host, user } = await open();
    await choose(user, /^Branch/);
    await screen.findByRole("heading", { name: "First #2" });
    await choose(user, /^Duplicate/);
    await waitFor(() =>
      expect(called(host, "session_branch")).toEqual([{ id: "a", message_id: "m4" }, { id: "a" }]),
    );
    await screen.findByText("Duplicated");
  });

  test("what was refused is said in words, and nothing else happens", async () => {
    const { host, user } = await open();
    host.refuse.set("session_branch", refusal("read_only", "The data folder cannot be written."));
    await choose(user, /^Duplicate/);
    const toast = (await screen.findByText("Duplicate failed:")).closest<HTMLElement>("[role=status]");
    expect(toast).toHaveTextContent("The data folder cannot be written.");
    expect(screen.getByRole("heading", { name: "First" })).toBeInTheDocument();
  });

  test("the menu has its order", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Actions for First" }));
    const names = screen.getAllByRole("menuitem").map((item) => item.querySelector(".label")?.textContent);
    expect(names).toEqual([
      "Open",
      "Open in new window",
      "Pin",
      "Rename",
      "Mark unread",
      "Select",
      "Undo last exchange",
      "Sum up earlier messages",
      "Branch",
      "Duplicate",
      "Export",
      "Copy ID",
      "Archive",
      "Delete",
    ]);
  });
});

describe("export", () => {
  test("asks for the format, shows how far it is, and is cancelled by its button", async () => {
    const { host, user } = await open();
    host.exportStatus = { state: "running", progress: { done: 50, total: 200 } };
    await choose(user, /^Export/);
    const dialog = screen.getByRole("dialog", { name: "Export “First”" });
    expect(within(dialog).getByRole("radio", { name: "Markdown" })).toBeChecked();
    await user.click(within(dialog).getByRole("radio", { name: "JSONL" }));
    await user.click(within(dialog).getByRole("button", { name: "Export..." }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(called(host, "export_start")).toEqual([{ id: "a", format: "jsonl" }]);
    const progress = await screen.findByRole("progressbar", { name: "Exporting “First”" });
    expect(progress).toHaveAttribute("aria-valuenow", "25");
    expect(screen.getByText("50 of 200 messages")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Cancel export" }));
    await waitFor(() => expect(screen.queryByRole("progressbar")).toBeNull());
    expect(screen.getByText("Export cancelled")).toBeInTheDocument();
  });

  test("of all sessions is in Settings, and waits while another runs", async () => {
    const { host, user } = await open();
    await user.keyboard("{Control>},{/Control}");
    await user.click(await screen.findByRole("button", { name: "Export all..." }));
    await user.click(
      within(screen.getByRole("dialog", { name: "Export all sessions" })).getByRole("button", {
        name: "Export...",
      }),
    );
    expect(called(host, "export_start")).toEqual([{ format: "markdown" }]);
    host.send({ type: "export_changed", status: { state: "running", progress: { done: 1, total: 9 } } });
    await screen.findByText("1 of 9 sessions");
    expect(screen.getByRole("button", { name: "Export all..." })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("the size of everything", () => {
  test("follows the keys, also over a question and from Settings, and is said", async () => {
    const { host, user } = await open();
    await choose(user, /^Delete/);
    await user.keyboard("{Control>}={/Control}");
    expect(await screen.findByText("110 %")).toBeInTheDocument();
    await user.keyboard("{Escape}{Control>},{/Control}");
    const size = await screen.findByRole("combobox", { name: "Size of everything" });
    expect(size).toHaveValue("110");
    await user.selectOptions(size, "150");
    await user.keyboard("{Control>}0{/Control}");
    await waitFor(() => expect(size).toHaveValue("100"));
    expect(called(host, "window_zoom")).toEqual([{ percent: 110 }, { percent: 150 }, { percent: 100 }]);
    await waitFor(() => expect(host.settings.zoom).toBe(100));
  });
});
