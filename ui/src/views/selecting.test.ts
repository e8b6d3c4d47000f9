/** Many sessions at once, in the sidebar: what is ticked, what is done with it, and what comes back. */
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import App from "../App.svelte";
import type { SessionBulkRequest } from "../ipc";
import { FakeHost, refusal, session, type FakeOptions } from "../test/fake";

const now = Date.now();
const place = (folder: string) => ({ folder: `/w/${folder}`, workspace: folder });
const sessions = () => [
  session("p", { title: "Pinned one", pinned: true, pin_rank: 1 }),
  session("q", { title: "Pinned two", pinned: true, pin_rank: 2 }),
  session("r", { title: "Pinned three", pinned: true, pin_rank: 3 }),
  session("a", { title: "First", last_active: now - 1, unread: true, ...place("x") }),
  session("b", { title: "Second", last_active: now - 2, ...place("x") }),
  session("c", { title: "Third", last_active: now - 3, ...place("y") }),
  session("d", { title: "Fourth", last_active: now - 4 }),
  session("e", { title: null, preview: null, message_count: 0, last_active: now - 5, ...place("x") }),
];

async function open(options: FakeOptions = {}) {
  const host = new FakeHost({ sessions: sessions(), ...options });
  render(App, { platform: host });
  await screen.findByRole("row", { name: /^Pinned one,/ });
  return { host, user: userEvent.setup() };
}

const row = (name: string) => screen.getByRole("row", { name: new RegExp(`^${name},`) });
const titles = () =>
  [...document.querySelectorAll<HTMLElement>("nav [data-session-id]")].map((one) => one.dataset["sessionId"]);
const ticked = () =>
  [...document.querySelectorAll<HTMLElement>('nav [data-session-id][aria-selected="true"]')].map(
    (one) => one.dataset["sessionId"],
  );
const bar = () => screen.getByRole("toolbar", { name: "Selection" });
const bulk = (host: FakeHost) =>
  host.calls.filter((call) => call.name === "session_bulk").map((call) => call.request as SessionBulkRequest);
const archived = (host: FakeHost) => host.sessions.filter((one) => one.archived).map((one) => one.id);
const shiftClick = (name: string) => fireEvent.click(row(name), { shiftKey: true });

beforeEach(() => localStorage.clear());
afterEach(cleanup);

describe("selection mode", () => {
  test("begins with Shift-click, ticks by click and range, and ends with Escape", async () => {
    const { host, user } = await open();
    const before = titles();
    await shiftClick("First");
    expect(ticked()).toEqual(["a"]);
    expect(within(bar()).getByText("1 selected")).toHaveAttribute("role", "status");
    expect(screen.getByRole("treegrid", { name: "Sessions" })).toHaveAttribute(
      "aria-multiselectable",
      "true",
    );
    await user.click(row("Fourth"));
    expect(ticked()).toEqual(["a", "d"]);
    await shiftClick("Second");
    expect(ticked()).toEqual(["a", "b", "c", "d"]);
    await user.click(row("Third"));
    expect(ticked()).toEqual(["a", "b", "d"]);
    expect(titles()).toEqual(before);
    expect(host.calls.some((call) => call.name === "message_page")).toBe(false);
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("toolbar")).toBeNull();
    expect(ticked()).toEqual([]);
  });

  test("the first range begins at the open session, as in a file list", async () => {
    const { user } = await open();
    await user.click(row("Second"));
    await shiftClick("Fourth");
    expect(ticked()).toEqual(["b", "c", "d"]);
  });

  test("by keyboard: Space, Shift with arrows, Ctrl A for the section", async () => {
    const { user } = await open();
    row("First").focus();
    await user.keyboard(" ");
    expect(ticked()).toEqual(["a"]);
    await user.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
    expect(ticked()).toEqual(["a", "b"]);
    await user.keyboard("{Control>}a{/Control}");
    expect(ticked()).toEqual(["a", "b", "c", "d"]);
    expect(within(bar()).getByText("4 selected")).toBeInTheDocument();
    row("Pinned one").focus();
    await user.keyboard("{Control>}a{/Control}");
    expect(within(bar()).getByText("7 selected")).toBeInTheDocument();
  });

  test("archives at once with one Undo that gives rows, places and pins back", async () => {
    const { host, user } = await open();
    const before = titles();
    host.hold.add("session_bulk");
    await shiftClick("Pinned two");
    await user.click(row("First"));
    await user.click(row("Fourth"));
    await user.click(within(bar()).getByRole("button", { name: "Archive" }));
    await waitFor(() => expect(titles()).toEqual(["p", "r", "b", "c"]));
    expect(screen.queryByRole("toolbar")).toBeNull();
    host.hold.clear();
    host.release("session_bulk");
    expect(await screen.findByText("3 archived")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(titles()).toEqual(before));
    expect(bulk(host)[1]).toEqual({
      target: { kind: "ids", ids: expect.arrayContaining(["q", "a", "d"]) },
      action: "unarchive",
      pins: [{ id: "q", rank: 2 }],
    });
    expect(archived(host)).toEqual([]);
    expect(host.row("q").pin_rank).toBe(2);
  });

  test("a refused call brings every row back to its place and says why", async () => {
    const { host, user } = await open();
    const before = titles();
    host.refuse.set("session_bulk", refusal("disk_full", "The disk is full.", true));
    row("First").focus();
    await user.keyboard(" {Shift>}{ArrowDown}{/Shift}e");
    expect(await screen.findByText("Archive failed:")).toBeInTheDocument();
    expect(screen.getByText("The disk is full.")).toBeInTheDocument();
    expect(titles()).toEqual(before);
    await user.keyboard("{Control>}z{/Control}");
    expect(archived(host)).toEqual([]);
  });

  test("what one session refuses comes back, the others stay away, and one toast says it", async () => {
    const { host, user } = await open();
    host.refuseIn.set("b", refusal("bad_request", "A sub-agent's session stays."));
    row("First").focus();
    await user.keyboard("{Control>}a{/Control}e");
    expect(await screen.findByText("3 archived")).toBeInTheDocument();
    expect(screen.getByText("1 not archived:")).toBeInTheDocument();
    expect(screen.getByText("A sub-agent's session stays.")).toBeInTheDocument();
    expect(titles()).toEqual(["p", "q", "r", "b"]);
  });

  test("Delete asks once with the number, starts on Cancel, and is undone by Ctrl Z", async () => {
    const { host, user } = await open();
    const before = titles();
    row("First").focus();
    await user.keyboard(" {Shift>}{ArrowDown}{/Shift}{Delete}");
    const dialog = await screen.findByRole("dialog", { name: "Delete 2 sessions?" });
    expect(within(dialog).getByRole("button", { name: "Cancel" })).toHaveFocus();
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("2 deleted")).toBeInTheDocument();
    expect(titles()).not.toContain("a");
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(titles()).toEqual(before));
    expect(host.sessions.every((one) => one.deleted_at === null)).toBe(true);
  });

  test("U marks all read, or all unread when nothing is; the ticks stay", async () => {
    const { host, user } = await open();
    row("First").focus();
    await user.keyboard(" {Shift>}{ArrowDown}{/Shift}u");
    expect(await screen.findByText("Marked read")).toBeInTheDocument();
    expect(host.row("a").unread).toBe(false);
    expect(ticked()).toEqual(["a", "b"]);
    await user.keyboard("u");
    expect(await screen.findByText("2 marked unread")).toBeInTheDocument();
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(host.row("b").unread).toBe(false));
  });

  test("Done gives the focus to the list", async () => {
    const { user } = await open();
    await shiftClick("Third");
    await user.click(within(bar()).getByRole("button", { name: "Done" }));
    await waitFor(() => expect(document.activeElement).toHaveAttribute("role", "row"));
  });

  test("Ctrl A takes in rows that no page has brought yet", async () => {
    const many = Array.from({ length: 1200 }, (_, index) =>
      session(`s${index}`, { last_active: now - index }),
    );
    const host = new FakeHost({ sessions: many });
    host.hold.add("session_list");
    render(App, { platform: host });
    const user = userEvent.setup();
    // The pinned rows, the hidden ones and the first page; the next page waits.
    await waitFor(() => expect(host.release("session_list")).toBe(true));
    await waitFor(() => expect(host.release("session_list")).toBe(true));
    (await screen.findByRole("row", { name: /^Session s0,/ })).focus();
    await user.keyboard("{Control>}a{/Control}");
    expect(within(bar()).getByText("1,200 selected")).toBeInTheDocument();
    host.hold.clear();
    while (host.release("session_list"));
    await user.keyboard("e");
    expect(await screen.findByText("1,200 archived")).toBeInTheDocument();
    expect(archived(host)).toHaveLength(1200);
  });

  test("single letters can be switched off", async () => {
    const { host, user } = await open({ settings: { letter_keys: false } });
    row("First").focus();
    await user.keyboard("eu");
    expect(archived(host)).toEqual([]);
    expect(host.row("a").unread).toBe(true);
    await user.keyboard("{Control>},{/Control}");
    await user.click(screen.getByRole("button", { name: "Keyboard" }));
    const letters = screen.getByRole("checkbox", { name: "Single letters act on the row in focus" });
    expect(screen.queryByText("Mark unread or read")).toBeNull();
    await user.click(letters);
    expect(await screen.findByText("Mark unread or read")).toBeInTheDocument();
  });
});

describe("a group", () => {
  const head = (name: string) => screen.getByRole("row", { name: new RegExp(`^${name}, \\d`) });
  const choose = async (user: ReturnType<typeof userEvent.setup>, name: string | RegExp) =>
    user.click(await screen.findByRole("menuitem", { name }));

  test("is archived whole after a question with the number the store will take", async () => {
    const { host, user } = await open();
    const before = titles();
    fireEvent.contextMenu(head("x"));
    await choose(user, /^Archive all in this workspace/);
    const dialog = await screen.findByRole("dialog", { name: "Archive 3 sessions in x?" });
    expect(dialog).toHaveTextContent("One of them is empty and not listed.");
    await user.click(within(dialog).getByRole("button", { name: "Archive 3" }));
    expect(await screen.findByText("3 archived")).toBeInTheDocument();
    expect(bulk(host)[0]).toEqual({ target: { kind: "workspace", folder: "/w/x" }, action: "archive" });
    expect(titles()).toEqual(["p", "q", "r", "c", "d"]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(titles()).toEqual(before));
  });

  test("has a menu by keyboard that shuts it and starts a draft in it", async () => {
    const { user } = await open();
    head("x").focus();
    await user.keyboard("{Shift>}{F10}{/Shift}");
    await choose(user, "Close group");
    await waitFor(() => expect(head("x")).toHaveAttribute("aria-expanded", "false"));
    head("y").focus();
    await user.keyboard("{ArrowRight}{ArrowRight}");
    expect(screen.getByRole("button", { name: "New session in y" })).toHaveFocus();
    await user.keyboard("{ArrowLeft}{Enter}");
    await choose(user, "New session in y");
    expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus();
  });

  test("moves with Alt and an arrow, says its place, and Ctrl Z takes it back", async () => {
    const { host, user } = await open();
    const order = () =>
      [...document.querySelectorAll<HTMLElement>("nav [data-folder]")].map((one) => one.dataset["folder"]);
    expect(order()).toEqual(["/w/x", "/w/y", ""]);
    head("x").focus();
    await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await waitFor(() => expect(order()).toEqual(["/w/y", "/w/x", ""]));
    expect(await screen.findByText("x, moved to place 2 of 3")).toBeInTheDocument();
    expect(head("x")).toHaveFocus();
    expect(host.settings.group_order).toEqual(["/w/y", "/w/x"]);
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(order()).toEqual(["/w/x", "/w/y", ""]));
  });
});

describe("a pinned row", () => {
  test("moves with Alt and an arrow, says its place, and Ctrl Z takes it back", async () => {
    const { host, user } = await open();
    row("Pinned three").focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(await screen.findByText("Pinned three, moved to place 2 of 3")).toBeInTheDocument();
    expect(titles().slice(0, 3)).toEqual(["p", "r", "q"]);
    await waitFor(() => expect(row("Pinned three")).toHaveFocus());
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    await waitFor(() => expect(titles().slice(0, 3)).toEqual(["r", "p", "q"]));
    await user.keyboard("{Control>}zz{/Control}");
    await waitFor(() => expect(titles().slice(0, 3)).toEqual(["p", "q", "r"]));
    const ranks = ["p", "q", "r"].map((id) => host.row(id).pin_rank ?? 0);
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
  });

  test("goes back to its place when the store refuses", async () => {
    const { host, user } = await open();
    host.refuse.set("session_pin", refusal("read_only", "The data folder is read only."));
    row("Pinned three").focus();
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(await screen.findByText("Not moved:")).toBeInTheDocument();
    expect(titles().slice(0, 3)).toEqual(["p", "q", "r"]);
  });

  // Rows have no layout here: the list begins at the top of the window, its head has 34 px, a row 30.
  const at = (y: number) => ({ clientX: 60, clientY: y, button: 0, buttons: 1 });

  test("is dragged to a gap, shows where it lands, and opens nothing", async () => {
    const { host } = await open();
    await fireEvent.pointerDown(row("Pinned one"), at(50));
    await fireEvent.pointerMove(window, at(52));
    expect(document.querySelector(".drop")).toBeNull();
    await fireEvent.pointerMove(window, at(121));
    expect(document.querySelector(".drop")).not.toBeNull();
    expect(row("Pinned one")).toHaveClass("dragged");
    await fireEvent.pointerUp(window, at(121));
    await fireEvent.click(row("Pinned one"));
    await waitFor(() => expect(titles().slice(0, 3)).toEqual(["q", "r", "p"]));
    expect(document.querySelector(".drop")).toBeNull();
    expect(host.calls.some((call) => call.name === "message_page")).toBe(false);
  });

  test("stays where it was when Escape ends the drag", async () => {
    const { host } = await open();
    await fireEvent.pointerDown(row("Pinned one"), at(50));
    await fireEvent.pointerMove(window, at(121));
    await fireEvent.keyDown(window, { key: "Escape" });
    await fireEvent.pointerUp(window, at(121));
    expect(document.querySelector(".drop")).toBeNull();
    expect(titles().slice(0, 3)).toEqual(["p", "q", "r"]);
    expect(host.calls.some((call) => call.name === "session_pin")).toBe(false);
  });
});

describe("the window", () => {
  test("offers Undo after a rename, also of an emptied title", async () => {
    const { host, user } = await open();
    row("First").focus();
    await user.keyboard("{F2}");
    await user.clear(screen.getByRole("textbox", { name: "Session title" }));
    await user.keyboard("{Enter}");
    expect(await screen.findByText("Renamed")).toBeInTheDocument();
    expect(host.row("a").title).toBeNull();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(host.row("a").title).toBe("First"));
    await screen.findByRole("row", { name: /^First,/ });
  });

  test("tells the host which session it shows", async () => {
    const { host, user } = await open();
    const shown = () =>
      host.calls
        .filter((call) => call.name === "session_show")
        .map((call) => (call.request as { id?: string }).id);
    await waitFor(() => expect(shown()).toEqual([undefined]));
    await user.click(row("Second"));
    await waitFor(() => expect(shown().at(-1)).toBe("b"));
    row("Second").focus();
    await user.keyboard("e");
    await waitFor(() => expect(shown().at(-1)).toBeUndefined());
  });

  test("says what the automatic archive took, and Undo brings it back", async () => {
    const { host, user } = await open();
    for (const id of ["a", "b"]) host.row(id).archived = true;
    host.swept = ["a", "b"];
    host.send({ type: "sessions_swept", count: 2, days: 30, at: 77 });
    expect(await screen.findByText("2 sessions archived:")).toBeInTheDocument();
    expect(screen.getByText("no activity for 30 days")).toBeInTheDocument();
    await waitFor(() => expect(titles()).not.toContain("a"));
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(titles()).toContain("a"));
    expect(bulk(host)).toEqual([{ target: { kind: "swept_at", at: 77 }, action: "unarchive" }]);
  });
});
