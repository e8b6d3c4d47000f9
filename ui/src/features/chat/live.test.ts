// @vitest-environment jsdom
import axe from "axe-core";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeChat, ipcError, messageRow } from "../../dev/fake-chat";
import type { LiveChange } from "../../ipc/generated/LiveChange";
import { fullTail } from "../../dev/live-script";
import LiveChat from "../../dev/LiveChat.svelte";
import { ConversationFind } from "../../state/find.svelte";
import { LiveSessions } from "../../state/live.svelte";
import { MediaSaves } from "../../state/saves.svelte";
import { Turns } from "../../state/turns";
import type { MessageRow } from "../../ipc/generated/MessageRow";

// jsdom has the element and not its methods.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
  this.open = false;
};

afterEach(cleanup);

const exchange = [messageRow(0, { text: "Why?" }), messageRow(1, { role: "assistant", text: "Because." })];

async function show(rows: MessageRow[] = exchange, change: Record<string, unknown> = {}) {
  const platform = fakeChat(rows);
  const live = new LiveSessions(platform, { onPlace: () => Promise.resolve() });
  const said = vi.fn();
  const turns = new Turns(platform, live, said);
  await platform.attach(({ event }) => {
    if (event.type === "live_changed" || event.type === "session_moved") live.receive(event);
  });
  const standing = await live.resume(platform.session.id);
  render(LiveChat, {
    live,
    platform,
    session: platform.session,
    draftFolder: null,
    draftBranch: null,
    jump: null,
    find: new ConversationFind(platform),
    saves: new MediaSaves(platform, { toast: vi.fn(), closeToast: vi.fn() }),
    system: "linux",
    onMenu: vi.fn(),
    turns,
    model: "hermes-4-70b",
    ...change,
  });
  const id = standing.at === "here" ? standing.live.id : "";
  const tell = (...changes: LiveChange[]) => changes.forEach((one) => platform.live.change(id, one));
  await waitFor(() => expect(screen.getAllByRole("article").length).toBeGreaterThan(0)).catch(
    () => undefined,
  );
  return { platform, live, id, tell, said, user: userEvent.setup() };
}

const running: LiveChange = { change: "state", state: "running", since: Date.now() };
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const sent = (platform: ReturnType<typeof fakeChat>) =>
  platform.calls.filter(({ name }) => name === "prompt_submit").map(({ request }) => request);
const asked: LiveChange = {
  change: "asked",
  approval: {
    id: "ap",
    call_id: "c",
    tool: "terminal",
    text: "rm -r build \u202etxt",
    folder: "/home/ada/code/talaria",
    always: false,
    asked_at: 0,
  },
};

describe("writing to a session", () => {
  it("sends with Enter, never while letters are composed, and begins a line with Shift", async () => {
    const { platform, user } = await show();
    await user.type(field(), "One{Shift>}{Enter}{/Shift}two");
    await fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
    await fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
    expect(sent(platform)).toEqual([]);
    await user.keyboard("{Enter}");
    expect(field()).toHaveValue("");
    await waitFor(() => expect(sent(platform)).toMatchObject([{ text: "One\ntwo", busy: "queue" }]));
    expect(await screen.findByRole("button", { name: "Stop" })).toBeVisible();
    await waitFor(() => expect(screen.getByText(/One\s*two/, { selector: "p" })).toBeVisible());
    expect(field()).toHaveValue("");
  });

  it("gives the text back when it was refused, before what was written since", async () => {
    const { platform, user } = await show();
    const call = platform.call.bind(platform);
    let refuse: () => void = () => undefined;
    platform.call = (name, request) =>
      name === "prompt_submit"
        ? new Promise((_, reject) => (refuse = () => reject(ipcError("disk_full", "The disk is full."))))
        : call(name, request);
    await user.type(field(), "Mine{Enter}");
    await user.type(field(), "more");
    refuse();
    expect(await screen.findByRole("alert")).toHaveTextContent("Not sent. The disk is full.");
    expect(field()).toHaveValue("Mine\n\nmore");
  });

  it("waits or steers while a turn is under way, and takes what waits back", async () => {
    const { platform, tell, user } = await show();
    tell(running);
    await screen.findByRole("button", { name: "Stop" });
    await user.type(field(), "Then this{Enter}");
    const next = await screen.findByRole("group", { name: "Next message" });
    expect(next).toHaveTextContent("Next: Then this");
    await user.type(field(), "Now{Alt>}{Enter}{/Alt}");
    await waitFor(() =>
      expect(sent(platform)).toMatchObject([
        { text: "Then this", busy: "queue" },
        { text: "Now", busy: "steer" },
      ]),
    );
    await user.click(within(next).getByRole("button", { name: "Edit the next message" }));
    await waitFor(() => expect(field()).toHaveValue("Then this"));
    expect(screen.queryByRole("group", { name: "Next message" })).toBeNull();
  });

  it("hands the focus on to the field when Stop goes", async () => {
    const { platform, tell, user } = await show();
    tell(running);
    await user.click(await screen.findByRole("button", { name: "Stop" }));
    await screen.findByRole("button", { name: "Stopping" });
    expect(platform.calls.some(({ name }) => name === "session_interrupt")).toBe(true);
    tell({ change: "state", state: "idle", since: null });
    await waitFor(() => expect(field()).toHaveFocus());
  });

  it("runs a command without a model, and nothing else", async () => {
    const { platform, user } = await show(exchange, { model: null });
    expect(screen.getByText(/No model is connected yet/)).toBeVisible();
    await user.type(field(), "Hello{Enter}");
    expect(sent(platform)).toEqual([]);
    await user.clear(field());
    await user.type(field(), "!ls{Enter}");
    await waitFor(() => expect(sent(platform)).toMatchObject([{ text: "!ls" }]));
  });
});

describe("a turn under way", () => {
  it("shows the answer as it is written, and once when it is stored", async () => {
    const { platform, tell, id } = await show();
    tell(
      running,
      { change: "reasoning", append: "Hm." },
      { change: "text", append: "First **bold**.\n\nSec" },
    );
    const tail = await waitFor(() => {
      const found = document.querySelector<HTMLElement>("article[data-live]");
      if (found === null) throw new Error("not there yet");
      return found;
    });
    expect(tail.querySelector("strong")).toHaveTextContent("bold");
    expect(within(tail).getByRole("button", { name: "Reasoning" })).toHaveAttribute("aria-expanded", "false");
    const first = tail.querySelector(".markdown > p");
    tell({ change: "text", append: "ond is here.\n\nThird" });
    await waitFor(() => expect(tail).toHaveTextContent("Second is here."));
    // A finished block stays the element it was.
    expect(tail.querySelector(".markdown > p")).toBe(first);
    platform.messages = [
      ...exchange,
      messageRow(2, { role: "assistant", text: "First **bold**.\n\nSecond is here.\n\nThird" }),
    ];
    tell(
      { change: "stored", session_id: platform.session.id, total: 3, ended: [], answer: true },
      { change: "state", state: "idle", since: null },
    );
    await waitFor(() => expect(document.querySelector('[data-message-id="m2"]')).toBeInTheDocument());
    expect(document.querySelector("article[data-live]")).toBeNull();
    expect(screen.getAllByText("Third")).toHaveLength(1);
    expect(platform.live.get(id).text).toBe("");
  });

  it("reads a hole in its changes anew", async () => {
    const { platform, tell, id } = await show();
    tell(running, { change: "text", append: "One " });
    platform.live.change(id, { change: "text", append: "two " }, true);
    tell({ change: "text", append: "three" });
    await waitFor(() => expect(document.querySelector("[data-live]")).toHaveTextContent("One two three"));
    expect(platform.calls.filter(({ name }) => name === "live_get")).toHaveLength(1);
  });

  it("asks for an approval without taking the focus, with Deny as its first stop", async () => {
    const { platform, tell, user } = await show();
    tell(running);
    await user.click(field());
    tell(asked);
    const card = await screen.findByRole("group", { name: "Approval: terminal" });
    expect(field()).toHaveFocus();
    expect(card).toHaveTextContent("rm -r build <U+202E>txt");
    expect(
      within(card)
        .getAllByRole("button")
        .map((button) => button.textContent?.trim()),
    ).toEqual(["Deny", "Allow once", "Allow for session"]);
    await user.keyboard("yes{Enter}");
    expect(platform.calls.some(({ name }) => name === "approval_respond")).toBe(false);
    within(card).getByRole("button", { name: "Deny" }).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(screen.queryByRole("group", { name: "Approval: terminal" })).toBeNull());
    expect(platform.calls.find(({ name }) => name === "approval_respond")?.request).toEqual({
      approval_id: "ap",
      choice: "deny",
    });
    expect(document.querySelector("article[data-live]")).toHaveFocus();
  });

  it("offers Always only when the host does, and says when an answer came too late", async () => {
    const { platform, tell, user, id } = await show();
    if (asked.change !== "asked") throw new Error();
    tell(running, { ...asked, approval: { ...asked.approval, always: true } });
    const card = await screen.findByRole("group", { name: "Approval: terminal" });
    platform.live.get(id).approvals = [];
    await user.click(within(card).getByRole("button", { name: "Always" }));
    expect(await within(card).findByRole("alert")).toHaveTextContent("This question is over.");
  });

  it("says why it did not come to its end, with the way on", async () => {
    const { platform, tell, user } = await show();
    tell({
      change: "problem",
      problem: { title: "The model did not answer", message: "Start it.", retryable: true, settings: false },
    });
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("The model did not answer");
    expect(within(alert).queryByRole("button", { name: "Model settings" })).toBeNull();
    await user.click(within(alert).getByRole("button", { name: "Retry" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
    expect(platform.calls.some(({ name }) => name === "session_retry")).toBe(true);
  });
});

describe("who reads by ear", () => {
  it("hears finished blocks, not letters, and a question once with its command", async () => {
    const { platform, tell } = await show();
    tell(running);
    await waitFor(() => expect(document.querySelector('[aria-live="polite"].spoken')).toBeInTheDocument());
    const tail = document.querySelector(".tail");
    const polite = tail?.querySelector(':scope > [aria-live="polite"]');
    tell({ change: "text", append: "One **block**.\n\nTw" });
    await waitFor(() => expect(tail).toHaveTextContent("Tw"));
    expect(polite?.textContent.trim()).toBe("");
    tell({ change: "text", append: "o.\n\n" });
    await waitFor(() => expect(polite).toHaveTextContent(/^One block\.$/));
    // Stored: what followed the last finished block is finished, too.
    tell({ change: "stored", session_id: platform.session.id, total: 2, ended: [], answer: true });
    await waitFor(() => expect(polite).toHaveTextContent(/^Two\.$/));
    tell(asked);
    await waitFor(() =>
      expect(tail?.querySelector('[aria-live="assertive"]')).toHaveTextContent(
        "Approval needed. terminal: rm -r build <U+202E>txt",
      ),
    );
  });

  it("meets nothing serious in a turn with everything in it", async () => {
    const { platform, id } = await show();
    fullTail(platform.live, id);
    await screen.findByRole("group", { name: "Approval: terminal" });
    // Colours are measured where they are drawn.
    const { violations } = await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } });
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map((found) => [found.id, found.nodes.map((node) => node.html)])).toEqual([]);
  }, 60_000);
});

describe("what was said", () => {
  it("is written anew in its place, and Escape leaves it as it was", async () => {
    const { platform, user } = await show();
    await user.click(await screen.findByRole("button", { name: "Edit and send again" }));
    const edit = await screen.findByRole("textbox", { name: "Edit message" });
    expect(edit).toHaveFocus();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("textbox", { name: "Edit message" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Edit and send again" }));
    await user.type(await screen.findByRole("textbox", { name: "Edit message" }), " Really?{Enter}");
    await waitFor(() => expect(sent(platform)).toMatchObject([{ text: "Why? Really?", replace: "m0" }]));
    await waitFor(() => expect(screen.queryByText("Because.")).toBeNull());
    expect(screen.getByText("Why? Really?")).toBeVisible();
  });

  it("shows a change of a file, and takes it back after a question", async () => {
    const change = { path: "/w/a.rs", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n", undone: false };
    const row = (undone: boolean) =>
      messageRow(0, {
        role: "tool",
        text: "Written.",
        tool: {
          call_id: "w",
          name: "write_file",
          arguments: "{}",
          state: "done",
          duration_ms: 3,
          change: { ...change, undone },
        },
      });
    const { platform, user } = await show([row(false)]);
    const card = (await screen.findAllByRole("group", { name: "Change of /w/a.rs" }))[0]!;
    expect(card).toHaveTextContent("-old");
    expect(card).not.toHaveTextContent("+++ b");
    await user.click(within(card).getByRole("button", { name: "Undo this change" }));
    platform.messages = [row(true)];
    await user.click(await screen.findByRole("button", { name: "Put back" }));
    expect(await screen.findByText("Taken back")).toBeVisible();
    expect(platform.calls.find(({ name }) => name === "change_undo")?.request).toEqual({
      session_id: "s1",
      call_id: "w",
    });
  });
});

describe("a session that another window has", () => {
  it("is a calm page, and comes back", async () => {
    const { platform, user, id } = await show();
    platform.live.move(id);
    expect(await screen.findByText("Moved to another window")).toBeVisible();
    expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Bring back" }));
    await waitFor(() => expect(field()).toBeVisible());
    expect(platform.live.elsewhere.size).toBe(0);
  });
});
