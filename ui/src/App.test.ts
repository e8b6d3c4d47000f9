import { cleanup, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import App from "./App.svelte";
import type { SessionRow } from "./ipc";
import { FakeHost, refusal, session, type FakeOptions } from "./test/fake";

const now = Date.now();
const MINUTE = 60_000;

function rows(): SessionRow[] {
  return [
    session("pinned-1", {
      title: "Release checklist",
      pinned: true,
      pin_rank: 1,
      last_active: now - 9 * MINUTE,
    }),
    session("pinned-2", { title: "Weekly import", pinned: true, pin_rank: 2, last_active: now - 8 * MINUTE }),
    session("a", {
      title: "Flaky seek",
      folder: "/w/talaria",
      workspace: "talaria",
      last_active: now - MINUTE,
    }),
    session("b", {
      title: "Router",
      folder: "/w/talaria",
      workspace: "talaria",
      last_active: now - 4 * MINUTE,
      unread: true,
      running: true,
    }),
    session("c", {
      title: "Backfill",
      folder: "/w/orchard",
      workspace: "orchard",
      last_active: now - 5 * MINUTE,
    }),
    session("d", { title: null, preview: "What is a heat pump", last_active: now - 6 * MINUTE }),
    session("e", { title: null, preview: null, message_count: 0, last_active: now - 7 * MINUTE }),
    session("z", { title: "Put away", archived: true, last_active: now - 90 * MINUTE }),
  ];
}

async function open(options: FakeOptions = {}) {
  const host = new FakeHost({ sessions: rows(), ...options });
  render(App, { platform: host });
  await waitFor(() => expect(document.querySelector("[data-session-id]")).toBeInTheDocument());
  return { host, user: userEvent.setup() };
}

const order = () =>
  [...document.querySelectorAll<HTMLElement>("nav [data-session-id]")].map((row) => row.dataset["sessionId"]);
const row = (id: string) => document.querySelector<HTMLElement>(`nav [data-session-id="${id}"]`)!;
const focused = () => (document.activeElement as HTMLElement | null)?.dataset["sessionId"];
const ALL = ["pinned-1", "pinned-2", "a", "b", "c", "d"];

beforeEach(() => localStorage.clear());
afterEach(cleanup);

describe("the sidebar", () => {
  test("shows pinned and grouped sessions as trees whose rows say name, state and place", async () => {
    await open();
    expect(order()).toEqual(ALL);
    expect(within(screen.getByRole("treegrid", { name: "Pinned" })).getAllByRole("row")).toHaveLength(2);
    const tree = screen.getByRole("treegrid", { name: "Sessions" });
    const router = within(tree).getByRole("row", { name: "Router, running, unread, 4 minutes ago" });
    expect(router).toHaveAttribute("aria-level", "2");
    expect(router).toHaveAttribute("aria-posinset", "2");
    expect(router).toHaveAttribute("aria-setsize", "2");
    expect(within(tree).getByRole("row", { name: /What is a heat pump/ })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Actions for Router" })).toBeInTheDocument();
  });

  test("says how many empty sessions are hidden and shows them on demand", async () => {
    const { host, user } = await open();
    expect(screen.getByText(/1 empty hidden -/)).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show empty sessions" }));
    await waitFor(() => expect(order()).toContain("e"));
    expect(row("e")).toHaveAccessibleName(/^Untitled session/);
    expect(host.settings.show_empty).toBe(true);
    await user.click(screen.getByRole("button", { name: "Hide empty sessions" }));
    await waitFor(() => expect(order()).not.toContain("e"));
  });

  test("shows a single list on demand and keeps the choice", async () => {
    const { host, user } = await open();
    await user.click(screen.getByRole("button", { name: "Show sessions as a single list" }));
    expect(screen.queryByRole("row", { name: /^talaria/ })).toBeNull();
    expect(row("a")).toHaveAttribute("aria-level", "1");
    expect(screen.getByRole("button", { name: "Group sessions by workspace" })).toBeInTheDocument();
    expect(host.settings.group_by_workspace).toBe(false);
  });

  test("shuts a group by key, remembers it, and starts a draft in its folder with its branch", async () => {
    const { host, user } = await open();
    host.branches.set("/w/talaria", "fix/seek");
    const head = screen.getByRole("row", { name: "talaria, 2 sessions" });
    head.focus();
    await user.keyboard("{ArrowLeft}");
    await waitFor(() => expect(order()).not.toContain("a"));
    expect(host.settings.closed_groups).toEqual(["/w/talaria"]);
    await user.click(screen.getByRole("button", { name: "New session in talaria" }));
    await waitFor(() => expect(screen.getByText("fix/seek", { selector: ".chat *" })).toBeInTheDocument());
  });

  test("draws at most 80 rows of 10,000, knows them all, and reaches the end", async () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      session(`m${index}`, { last_active: now - index * 1000 }),
    );
    const { host, user } = await open({ sessions: many, settings: { group_by_workspace: false } });
    await waitFor(() => expect(host.calls.filter((call) => call.name === "session_list").length).toBe(21), {
      timeout: 8_000,
    });
    row("m0").focus();
    expect(row("m0")).toHaveAttribute("aria-setsize", "10000");
    await user.keyboard("{End}");
    await waitFor(() => expect(focused()).toBe("m9999"));
    expect(document.querySelectorAll('[role="row"]').length).toBeLessThanOrEqual(80);
  });

  test("opening an unread session clears its mark, opening a read one asks nothing", async () => {
    const { host, user } = await open();
    await user.click(row("a"));
    await user.click(row("b"));
    await waitFor(() => expect(row("b")).toHaveAccessibleName("Router, running, 4 minutes ago"));
    expect(host.calls.filter((call) => call.name === "session_mark").map((call) => call.request)).toEqual([
      { id: "b", unread: false },
    ]);
    expect(row("b")).toHaveAttribute("aria-selected", "true");
  });
});

describe("archiving", () => {
  test("takes the row away at once, says so, and Undo brings it back to its place with its pin", async () => {
    const { host, user } = await open();
    host.hold.add("session_update");
    row("pinned-1").focus();
    await user.keyboard("e");
    await waitFor(() => expect(order()).not.toContain("pinned-1"));
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(focused()).toBe("pinned-2");
    host.hold.clear();
    host.release("session_update");
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(order()).toEqual(ALL));
    expect(host.row("pinned-1")).toMatchObject({ pinned: true, pin_rank: 1, archived: false });
    await waitFor(() => expect(focused()).toBe("pinned-1"));
  });

  test("puts the row back and says why when the store refuses", async () => {
    const { host, user } = await open();
    host.refuse.set(
      "session_update",
      refusal("disk_full", "The disk is full. Free some space, then try again."),
    );
    row("b").focus();
    await user.keyboard("e");
    const toast = await screen.findByText("Archive failed:");
    expect(toast.closest('[role="status"]')).toHaveTextContent(
      "Archive failed: The disk is full. Free some space, then try again.",
    );
    expect(order()).toEqual(ALL);
  });

  test("works by Ctrl-click and by the menu, and the last one is taken back by Ctrl Z", async () => {
    const { user } = await open();
    await user.keyboard("{Control>}");
    await user.click(row("a"));
    await user.keyboard("{/Control}");
    await waitFor(() => expect(order()).not.toContain("a"));
    await user.click(screen.getByRole("button", { name: "Actions for Router" }));
    await user.click(screen.getByRole("menuitem", { name: /Archive/ }));
    await waitFor(() => expect(order()).not.toContain("b"));
    expect(await screen.findByText("2 archived")).toBeInTheDocument();
    row("c").focus();
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(order()).toEqual(["pinned-1", "pinned-2", "b", "c", "d"]));
  });

  test("of the open session starts a fresh draft", async () => {
    const { user } = await open();
    await user.click(row("a"));
    expect(row("a")).toHaveAttribute("aria-selected", "true");
    await user.keyboard("e");
    await waitFor(() => expect(document.querySelector('[aria-selected="true"]')).toBeNull());
  });
});

describe("the other actions of a row", () => {
  test("delete asks, starts on Cancel, goes to the trash and can be undone", async () => {
    const { host, user } = await open();
    row("c").focus();
    await user.keyboard("{Delete}");
    const dialog = screen.getByRole("dialog", { name: "Delete “Backfill”?" });
    expect(within(dialog).getByRole("button", { name: "Cancel" })).toHaveFocus();
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(order()).not.toContain("c"));
    expect(host.row("c").deleted_at).not.toBeNull();
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(order()).toEqual(ALL));
  });

  test("a title is typed in its place; a taken one is refused below the field and can be mended", async () => {
    const { host, user } = await open();
    row("a").focus();
    await user.keyboard("{F2}");
    const field = screen.getByRole("textbox", { name: "Session title" });
    await user.clear(field);
    await user.type(field, "Router{Enter}");
    expect(await screen.findByText("“Router” has this title already.")).toBeInTheDocument();
    await user.type(field, " 2{Enter}");
    await waitFor(() => expect(row("a")).toHaveAccessibleName(/^Router 2,/));
    expect(host.row("a").title).toBe("Router 2");
    await waitFor(() => expect(focused()).toBe("a"));
  });

  test("Escape leaves a title as it was", async () => {
    const { host, user } = await open();
    row("a").focus();
    await user.keyboard("{F2}changed{Escape}");
    expect(host.row("a").title).toBe("Flaky seek");
    expect(host.calls.some((call) => call.name === "session_update")).toBe(false);
  });

  test("pins on top and back to its old place", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Actions for Backfill" }));
    await user.click(screen.getByRole("menuitem", { name: "Pin" }));
    await waitFor(() => expect(order()[0]).toBe("c"));
    await user.click(screen.getByRole("button", { name: "Actions for Backfill" }));
    await user.click(screen.getByRole("menuitem", { name: "Unpin" }));
    await waitFor(() => expect(order()).toEqual(ALL));
  });

  test("is marked unread by key and read by menu, and Ctrl Z takes it back", async () => {
    const { host, user } = await open();
    row("a").focus();
    await user.keyboard("u");
    await waitFor(() => expect(row("a")).toHaveAccessibleName(/^Flaky seek, unread,/));
    await waitFor(() => expect(host.row("a").unread).toBe(true));
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(host.row("a").unread).toBe(false));
    await user.click(screen.getByRole("button", { name: "Actions for Router" }));
    await user.click(screen.getByRole("menuitem", { name: "Mark read" }));
    await waitFor(() => expect(row("b")).toHaveAccessibleName(/^Router, running, 4/));
    expect(host.row("b").unread).toBe(false);
  });

  test("the menu goes round by arrows, finds by letter, and gives the focus back", async () => {
    const { user } = await open();
    row("a").focus();
    await user.keyboard("{ArrowRight}{Enter}");
    const items = () =>
      screen.getAllByRole("menuitem").map((item) => item.textContent?.trim().split(/\s{2,}/)[0]);
    expect(items()).toHaveLength(12);
    await waitFor(() => expect(screen.getByRole("menuitem", { name: "Open" })).toHaveFocus());
    await user.keyboard("{ArrowUp}");
    await waitFor(() => expect(screen.getByRole("menuitem", { name: /Delete/ })).toHaveFocus());
    await user.keyboard("r");
    await waitFor(() => expect(screen.getByRole("menuitem", { name: /Rename/ })).toHaveFocus());
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("menu")).toBeNull();
    expect(screen.getByRole("button", { name: "Actions for Flaky seek" })).toHaveFocus();
  });
});

describe("search", () => {
  test("finds titles and text, goes in by Down, opens at the message, and Escape clears", async () => {
    const { host, user } = await open();
    const field = screen.getByRole("searchbox", { name: "Search sessions" });
    await user.type(field, "router");
    await waitFor(() => expect(screen.getByRole("treegrid", { name: "Titles" })).toBeInTheDocument());
    await user.clear(field);
    await user.type(field, "words of b");
    await waitFor(() => expect(screen.getByRole("treegrid", { name: "Messages" })).toBeInTheDocument());
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(focused()).toBe("b"));
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(host.calls).toContainEqual({
        name: "message_page",
        request: expect.objectContaining({ anchor: { at: "message", id: "message-of-b" } }),
      }),
    );
    await user.keyboard("{Escape}");
    await waitFor(() => expect(order()).toEqual(ALL));
    expect(field).toHaveFocus();
  });

  test("marks archived hits and says when nothing mentions the words", async () => {
    const { user } = await open();
    const field = screen.getByRole("searchbox", { name: "Search sessions" });
    await user.type(field, "put away");
    expect(await screen.findByText("Archived", { selector: ".chip" })).toBeInTheDocument();
    await user.clear(field);
    await user.type(field, "zeppelin");
    expect(
      await screen.findByText("No session mentions “zeppelin”", { selector: ".title" }),
    ).toBeInTheDocument();
    expect(screen.getByText("Archived sessions were searched too.")).toBeInTheDocument();
  });

  test("shows twenty titles, then all of them by key and page by page, with the messages below", async () => {
    const many = Array.from({ length: 45 }, (_, index) =>
      session(`m${index}`, { title: `Needle ${index}`, last_active: now - index * 1000 }),
    );
    many.push(session("said", { title: "Other", preview: "a needle in text", last_active: now }));
    const { host, user } = await open({ sessions: many });
    await user.type(screen.getByRole("searchbox", { name: "Search sessions" }), "needle");
    const tree = await screen.findByRole("treegrid", { name: "Titles" });
    const titlePages = () =>
      host.calls.filter(
        (call) => call.name === "session_search" && "title_cursor" in (call.request as object),
      );
    const more = await within(tree).findByRole("row", { name: "Show all 45 titles" });
    expect(within(tree).getAllByRole("row")).toHaveLength(21);
    expect(within(tree).getByRole("row", { name: /^Needle 3,/ })).toHaveAttribute("aria-setsize", "45");
    expect(titlePages()).toEqual([]);
    expect(within(screen.getByRole("treegrid", { name: "Messages" })).getAllByRole("row")).toHaveLength(1);

    const visited: (string | undefined)[] = [];
    document.addEventListener("focusin", () => visited.push(focused()));
    await user.keyboard("{ArrowDown}{End}");
    await waitFor(() => expect(focused()).toBe("said"));
    await user.keyboard("{ArrowUp}");
    await waitFor(() => expect(more).toHaveFocus());
    visited.length = 0;
    await user.keyboard("{Enter}");
    await waitFor(() => expect(focused()).toBe("m20"));
    for (let step = 21; step < 45; step += 1) {
      await user.keyboard("{ArrowDown}");
      await waitFor(() => expect(focused()).toBe(`m${step}`));
    }
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(focused()).toBe("said"));
    expect(visited).toEqual([...Array.from({ length: 25 }, (_, n) => `m${n + 20}`), "said"]);
    expect(titlePages()).toHaveLength(2);
    expect(screen.queryByText(/^Show all|^Loading/)).toBeNull();
  });

  test("results of other words are read from the top", async () => {
    const many = Array.from({ length: 67 }, (_, index) =>
      session(`m${index}`, { title: `Needle in hay ${index}`, last_active: now - index * 1000 }),
    );
    const { user } = await open({ sessions: many });
    const field = screen.getByRole("searchbox", { name: "Search sessions" });
    await user.type(field, "hay");
    await screen.findByRole("treegrid", { name: "Titles" });
    const scroller = document.querySelector<HTMLElement>("nav .scroller")!;
    scroller.scrollTop = 400;
    await user.type(field, " 1");
    await waitFor(() => expect(screen.getByText(/^16 titles/)).toBeInTheDocument());
    expect(scroller.scrollTop).toBe(0);
  });

  test("a snippet of another direction keeps the indent of its title", async () => {
    const { user } = await open({
      sessions: [session("rtl", { title: "Mixed", preview: "שלום needle" })],
    });
    await user.type(screen.getByRole("searchbox", { name: "Search sessions" }), "needle");
    const hit = await screen.findByRole("row", { name: /^Mixed/ });
    const box = hit.querySelector(".snippet")!;
    expect(box.closest("[dir]")?.getAttribute("dir") ?? "ltr", "the box has the window's direction").toBe(
      "ltr",
    );
    expect([...box.children].map((child) => child.tagName)).toEqual(["BDI"]);
    expect(box.querySelector("bdi")).toHaveTextContent("שלום needle");
  });

  test("a deleted result hands its focus to the next one", async () => {
    const { user } = await open();
    await user.type(screen.getByRole("searchbox", { name: "Search sessions" }), "first words");
    await waitFor(() => expect(order()).toEqual(["a", "b", "c", "pinned-2", "pinned-1", "z"]));
    await user.keyboard("{ArrowDown}{ArrowDown}");
    await waitFor(() => expect(focused()).toBe("b"));
    await user.keyboard("{Delete}");
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(order()).not.toContain("b"));
    await waitFor(() => expect(focused()).toBe("c"));
  });

  test("a late answer to earlier words is dropped", async () => {
    const { host, user } = await open();
    host.hold.add("session_search");
    const field = screen.getByRole("searchbox", { name: "Search sessions" });
    await user.type(field, "router");
    await waitFor(() => expect(host.calls.some((call) => call.name === "session_search")).toBe(true));
    await user.clear(field);
    await user.type(field, "backfill");
    await waitFor(() => expect(host.calls.filter((call) => call.name === "session_search")).toHaveLength(2));
    host.release("session_search");
    host.release("session_search");
    await waitFor(() => expect(order()).toEqual(["c"]));
  });
});

describe("following the host", () => {
  test("a changed row moves, a row deleted elsewhere goes", async () => {
    const { host } = await open();
    host.row("c").last_active = now;
    host.row("a").deleted_at = now;
    host.send({ type: "sessions_changed", ids: ["c", "a"] });
    await waitFor(() => expect(order()).toEqual(["pinned-1", "pinned-2", "c", "b", "d"]));
  });

  test("a list asked for before an archive, answered after it, does not bring the row back", async () => {
    const { host, user } = await open();
    host.hold.add("session_list");
    host.send({ type: "sessions_changed", ids: [] });
    row("a").focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    host.hold.clear();
    while (host.release("session_list"));
    await waitFor(() =>
      expect(screen.getByRole("treegrid", { name: "Sessions" })).toHaveAttribute("aria-busy", "false"),
    );
    expect(order()).not.toContain("a");
  });

  test("a hole in the events attaches again and fetches everything", async () => {
    const { host } = await open();
    host.sessions.push(session("new", { title: "From elsewhere", last_active: now }));
    host.send({ type: "sessions_changed", ids: [] }, 5);
    await waitFor(() => expect(host.attached).toBe(2));
    await waitFor(() => expect(order()).toContain("new"));
  });
});
