import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test } from "vitest";
import App from "../../App.svelte";
import type { SessionRow } from "../../ipc";
import type { RequestOf } from "../../platform";
import { FakeHost, refusal, session } from "../../test/fake";

const now = Date.now();
const HOUR = 3_600_000;

function rows(): SessionRow[] {
  return [
    session("live", { title: "Still here", last_active: now }),
    session("a", {
      title: "Loopback token",
      archived: true,
      folder: "/w/talaria",
      workspace: "talaria",
      message_count: 84,
      last_active: now - HOUR,
    }),
    session("b", { title: "Cover letter", archived: true, message_count: 1, last_active: now - 2 * HOUR }),
    session("c", { title: "Dry run", archived: true, last_active: now - 3 * HOUR, unread: true }),
    session("gone", { title: "Old spike", deleted_at: now - HOUR }),
  ];
}

async function open(sessions = rows(), before?: (host: FakeHost) => void) {
  const host = new FakeHost({ sessions });
  const user = userEvent.setup();
  render(App, { platform: host });
  await user.click(await screen.findByRole("button", { name: "Settings" }));
  before?.(host);
  await user.click(screen.getByRole("button", { name: "Archived Chats" }));
  return { host, user };
}

const list = () => screen.getByRole("list", { name: "Archived sessions" });
const ids = () =>
  [...list().querySelectorAll<HTMLElement>("[data-session-id]")].map((row) => row.dataset["sessionId"]);
const row = (id: string) => within(list().querySelector<HTMLElement>(`[data-session-id="${id}"]`)!);

beforeEach(() => localStorage.clear());

describe("the Archived page", () => {
  test("says what it holds: heading with count, hint, rows with folder and number of messages", async () => {
    await open();
    await waitFor(() => expect(ids()).toEqual(["a", "b", "c"]));
    expect(screen.getByRole("heading", { name: "Archived sessions" }).parentElement).toHaveTextContent(/3/);
    expect(
      screen.getByText("Archived chats are hidden from the sidebar but keep all their messages."),
    ).toBeInTheDocument();
    expect(screen.getByPlaceholderText("Search archived sessions...")).toBeInTheDocument();
    expect(row("a").getByText("talaria - 84 messages")).not.toHaveAttribute("aria-hidden");
    expect(row("b").getByText("No folder - 1 message")).not.toHaveAttribute("aria-hidden");
    expect(row("a").getByText("84 messages")).toHaveClass("number", "numbers");
    expect(row("a").getByText("talaria").closest(".folder")).toHaveAttribute("aria-hidden", "true");
    expect(row("c").getByRole("button", { name: "Dry run, unread" })).toBeInTheDocument();
  });

  test("Unarchive takes the row off the page, says Restored, and it is in the sidebar without a reload", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    await user.click(row("a").getByRole("button", { name: "Unarchive" }));
    await waitFor(() => expect(ids()).toEqual(["b", "c"]));
    expect(screen.getByText("Restored")).toBeInTheDocument();
    // The pinned rows and the numbers are asked for again, the pages of the list are not.
    const pages = () =>
      host.calls.filter((call) => {
        const { limit, pinned } = call.request as RequestOf<"session_list">;
        return call.name === "session_list" && limit > 1 && pinned === false;
      }).length;
    const before = pages();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.getByRole("row", { name: /^Loopback token,/ })).toBeInTheDocument());
    expect(pages()).toBe(before);
  });

  test("a row is busy while the store works and asks only once", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    host.hold.add("session_update");
    await user.click(row("a").getByRole("button", { name: "Unarchive" }));
    await user.click(row("a").getByRole("button", { name: "Unarchive" }));
    expect(list().querySelector('[data-session-id="a"]')).toHaveAttribute("aria-busy", "true");
    expect(host.calls.filter((call) => call.name === "session_update")).toHaveLength(1);
    host.hold.clear();
    host.release("session_update");
    await waitFor(() => expect(ids()).toEqual(["b", "c"]));
  });

  test("a refused Unarchive keeps the row and says why", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    host.refuse.set("session_update", refusal("read_only", "The data folder is read only."));
    await user.click(row("a").getByRole("button", { name: "Unarchive" }));
    expect(await screen.findByText("Unarchive failed:")).toBeInTheDocument();
    expect(ids()).toContain("a");
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(ids()).toEqual(["b", "c"]));
  });

  test("Delete permanently names the session, starts on Cancel, and is final", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("b"));
    const button = row("b").getByRole("button", { name: "Delete permanently" });
    await user.click(button);
    const question = screen.getByRole("dialog", {
      name: 'Permanently delete "Cover letter"? This cannot be undone.',
    });
    expect(within(question).getByRole("button", { name: "Cancel" })).toHaveFocus();
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(button).toHaveFocus();
    await user.click(button);
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete permanently" }));
    await waitFor(() => expect(ids()).toEqual(["a", "c"]));
    expect(host.sessions.some((other) => other.id === "b")).toBe(false);
    await waitFor(() => expect(row("c").getByRole("button", { name: /Dry run/ })).toHaveFocus());
  });

  test("a refused Delete permanently keeps the row, and can be tried again without a second question", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("b"));
    host.refuse.set("session_delete", refusal("read_only", "The data folder is read only."));
    await user.click(row("b").getByRole("button", { name: "Delete permanently" }));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete permanently" }));
    expect(await screen.findByText("Delete failed:")).toBeInTheDocument();
    expect(ids()).toContain("b");
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(ids()).toEqual(["a", "c"]));
  });

  test("what is not there any more is not tried again", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    host.refuse.set("session_update", refusal("not_found", "This session does not exist any more."));
    await user.click(row("a").getByRole("button", { name: "Unarchive" }));
    expect(await screen.findByText("Unarchive failed:")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  });

  test("searches, says when nothing matches, and Escape in the field clears it first", async () => {
    const { user } = await open();
    await waitFor(() => expect(ids()).toHaveLength(3));
    const field = screen.getByRole("searchbox", { name: "Search archived sessions..." });
    await user.type(field, "letter");
    await waitFor(() => expect(ids()).toEqual(["b"]));
    await user.type(field, " boiler");
    expect(await screen.findByText("No archived chats match your search.")).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(ids()).toHaveLength(3));
    expect(screen.getByRole("heading", { name: "Archived sessions" })).toBeInTheDocument();
  });

  test("loads further pages by itself, without a cap", async () => {
    const many = Array.from({ length: 450 }, (_, index) =>
      session(`s${index}`, { archived: true, last_active: now - index }),
    );
    const { host } = await open(many);
    await waitFor(() => expect(ids().length).toBeGreaterThan(5));
    expect(ids().length).toBeLessThan(60);
    const scroller = list().closest<HTMLElement>(".scroller")!;
    await waitFor(() => {
      scroller.scrollTop += 20_000;
      scroller.dispatchEvent(new Event("scroll"));
      expect(ids()).toContain("s449");
    });
    expect(
      host.calls.filter(
        (call) => call.name === "session_list" && (call.request as { archived: string }).archived === "only",
      ).length,
    ).toBe(5);
  });

  test("an empty archive says so and how it fills", async () => {
    await open([session("live")]);
    expect(await screen.findByText("Nothing archived")).toBeInTheDocument();
    expect(screen.getByText("Archive a chat to hide it here.")).toBeInTheDocument();
  });

  test("a failure is never shown as an empty list, and can be tried again", async () => {
    const { user } = await open(rows(), (host) =>
      host.refuse.set("session_list", refusal("damaged", "The store is damaged.")),
    );
    expect(await screen.findByText("Could not load archived sessions")).toBeInTheDocument();
    expect(screen.queryByText("Nothing archived")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(ids()).toHaveLength(3));
  });

  test("a click opens the session and leaves it archived", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    await user.click(row("a").getByRole("button", { name: "Loopback token" }));
    await waitFor(() =>
      expect(screen.getByRole("searchbox", { name: "Search sessions" })).toBeInTheDocument(),
    );
    expect(host.row("a").archived).toBe(true);
    expect(host.calls.some((call) => call.name === "session_update")).toBe(false);
  });

  test("lists what was deleted and restores it to where it was", async () => {
    const { host, user } = await open();
    const trash = await screen.findByRole("list", { name: "Recently deleted" });
    expect(within(trash).getByText("Old spike")).toBeInTheDocument();
    expect(screen.getByText(/kept for 30 days/)).toBeInTheDocument();
    await user.click(within(trash).getByRole("button", { name: "Restore" }));
    await waitFor(() => expect(screen.queryByRole("list", { name: "Recently deleted" })).toBeNull());
    expect(host.row("gone").deleted_at).toBeNull();
    expect(screen.getByText("Restored")).toBeInTheDocument();
  });

  test("Recently deleted is in reach at once, however long the archive is", async () => {
    const many = [
      ...Array.from({ length: 5000 }, (_, index) =>
        session(`s${index}`, { archived: true, last_active: now - index }),
      ),
      ...Array.from({ length: 40 }, (_, index) => session(`d${index}`, { deleted_at: now - index })),
    ];
    const { host, user } = await open(many);
    const trash = await screen.findByRole("list", { name: "Recently deleted" });
    await waitFor(() => expect(ids().length).toBeGreaterThan(5));
    expect(trash.closest(".scroller")).not.toBe(list().closest(".scroller"));
    expect(within(trash).getAllByRole("button", { name: "Restore" }).length).toBeGreaterThan(5);
    expect(
      host.calls.filter(
        (call) => call.name === "session_list" && (call.request as { archived: string }).archived === "only",
      ).length,
    ).toBe(1);

    // By keyboard: one row of each list is in the tab order, so a few steps lead past 5,000.
    screen.getByRole("searchbox", { name: "Search archived sessions..." }).focus();
    for (let step = 0; step < 6; step++) await user.tab();
    expect(within(trash).getAllByRole("button", { name: "Restore" })[0]).toHaveFocus();
    await user.keyboard("{ArrowDown}{ArrowDown}");
    expect(document.activeElement?.closest("[data-session-id]")).toHaveAttribute("data-session-id", "d2");
  });

  test("arrows, Home and End go from row to row and stay on the same button", async () => {
    const { user } = await open();
    await waitFor(() => expect(ids()).toHaveLength(3));
    row("a").getByRole("button", { name: "Unarchive" }).focus();
    await user.keyboard("{ArrowDown}");
    expect(row("b").getByRole("button", { name: "Unarchive" })).toHaveFocus();
    await user.keyboard("{End}");
    expect(row("c").getByRole("button", { name: "Unarchive" })).toHaveFocus();
    await user.keyboard("{Home}");
    expect(row("a").getByRole("button", { name: "Unarchive" })).toHaveFocus();
    expect(row("b").getByRole("button", { name: "Unarchive" })).toHaveAttribute("tabindex", "-1");
  });

  test("a list fetched anew keeps as much as was loaded, and what is in view stays in its place", async () => {
    const many = Array.from({ length: 450 }, (_, index) =>
      session(`s${index}`, { archived: true, last_active: now - index }),
    );
    const { host } = await open(many);
    await waitFor(() => expect(ids().length).toBeGreaterThan(5));
    const scroller = list().closest<HTMLElement>(".scroller")!;
    const scroll = (top: number) => {
      scroller.scrollTop = top;
      scroller.dispatchEvent(new Event("scroll"));
    };
    await waitFor(() => {
      scroll(scroller.scrollTop + 20_000);
      expect(ids()).toContain("s449");
    });
    scroll(300 * 50 + 10);
    await waitFor(() => expect(ids()).toContain("s300"));
    host.sessions.push(
      ...[1, 2, 3].map((n) => session(`new${n}`, { archived: true, last_active: now + n * HOUR })),
    );
    host.send({ type: "sessions_changed", ids: [] });
    await waitFor(() => expect(scroller.scrollTop).toBe(303 * 50 + 10));
    expect(list().style.blockSize).toBe(`${453 * 50}px`);
  });
});

describe("many archived sessions", () => {
  const tick = (id: string) => row(id).getByRole("checkbox");
  const bar = () => within(screen.getByRole("toolbar", { name: "Selection" }));

  test("are ticked without moving, in place of the column heads, and unarchived with one Undo", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toEqual(["a", "b", "c"]));
    expect(screen.queryByRole("toolbar")).toBeNull();
    await user.click(tick("a"));
    await user.click(tick("c"));
    expect(bar().getByText("2 selected")).toBeInTheDocument();
    expect(ids()).toEqual(["a", "b", "c"]);
    host.hold.add("session_bulk");
    await user.click(bar().getByRole("button", { name: "Unarchive" }));
    expect(list().querySelector('[data-session-id="a"]')).toHaveAttribute("aria-busy", "true");
    expect(list().querySelector('[data-session-id="b"]')).toHaveAttribute("aria-busy", "false");
    host.hold.clear();
    host.release("session_bulk");
    expect(await screen.findByText("2 restored")).toBeInTheDocument();
    await waitFor(() => expect(ids()).toEqual(["b"]));
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(ids()).toEqual(["a", "b", "c"]));
  });

  test("are deleted for good after one question with their number", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    await user.click(tick("a"));
    await user.keyboard("{Shift>}{ArrowDown}{/Shift}");
    await user.click(bar().getByRole("button", { name: "Delete permanently" }));
    const dialog = await screen.findByRole("dialog", {
      name: "Permanently delete 2 sessions? This cannot be undone.",
    });
    expect(within(dialog).getByRole("button", { name: "Cancel" })).toHaveFocus();
    await user.click(within(dialog).getByRole("button", { name: "Delete permanently" }));
    expect(await screen.findByText("2 deleted permanently")).toBeInTheDocument();
    await waitFor(() => expect(ids()).toEqual(["c"]));
    expect(host.sessions.some((one) => one.id === "a")).toBe(false);
  });

  test("refused, they stay and are no longer busy", async () => {
    const { host, user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    await user.click(tick("a"));
    await user.click(tick("b"));
    host.refuseIn.set("b", refusal("bad_request", "It stays."));
    await user.click(bar().getByRole("button", { name: "Unarchive" }));
    expect(await screen.findByText("1 not unarchived:")).toBeInTheDocument();
    await waitFor(() => expect(ids()).toEqual(["b", "c"]));
    expect(list().querySelector('[data-session-id="b"]')).toHaveAttribute("aria-busy", "false");
  });

  test("Select all takes in every page, Escape ends it before it leaves the page", async () => {
    const many = Array.from({ length: 250 }, (_, index) =>
      session(`s${index}`, { archived: true, last_active: now - index }),
    );
    const { host, user } = await open(many);
    await waitFor(() => expect(ids()).toContain("s0"));
    await user.click(tick("s1"));
    await user.keyboard("{Escape}");
    expect(screen.queryByRole("toolbar")).toBeNull();
    expect(ids()).toContain("s0");
    await user.click(screen.getByRole("checkbox", { name: "Select all 250" }));
    expect(bar().getByText("250 selected")).toBeInTheDocument();
    await user.click(tick("s1"));
    expect(bar().getByText("249 selected")).toBeInTheDocument();
    await user.click(bar().getByRole("button", { name: "Unarchive" }));
    expect(await screen.findByText("249 restored")).toBeInTheDocument();
    expect(host.sessions.filter((one) => one.archived).map((one) => one.id)).toEqual(["s1"]);
    await waitFor(() => expect(ids()).toEqual(["s1"]));
  });

  test("other words in the search end the selection: nothing is done to what is out of sight", async () => {
    const { user } = await open();
    await waitFor(() => expect(ids()).toContain("a"));
    await user.click(tick("a"));
    await user.type(screen.getByRole("searchbox", { name: "Search archived sessions..." }), "cover");
    expect(screen.queryByRole("toolbar")).toBeNull();
  });

  test("a search that stopped says so where its rows end", async () => {
    const { user } = await open(rows(), (host) => {
      const call = host.call.bind(host);
      host.call = async (name, request) => {
        const answer = await call(name, request);
        return name === "session_list" ? { ...answer, stopped_early: true } : answer;
      };
    });
    await waitFor(() => expect(ids()).toContain("a"));
    await user.type(screen.getByRole("searchbox", { name: "Search archived sessions..." }), "zz");
    expect(await screen.findByText("Stopped after a while: type more letters")).toBeInTheDocument();
    expect(screen.queryByText("No archived chats match your search.")).toBeNull();
  });
});
