import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { tick } from "svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import App from "../App.svelte";
import { messageRow } from "../dev/fake-chat";
import { FakeHost, session, type FakeOptions } from "../test/fake";

const now = Date.now();
const sessions = () => [
  session("p", { title: "Pinned one", pinned: true, pin_rank: 1, last_active: now - 1 }),
  session("a", { title: "First", folder: "/w/x", workspace: "x", last_active: now - 2, unread: true }),
  session("b", { title: "Second", last_active: now - 3 }),
  session("z", { title: "Put away", archived: true }),
  session("t", { title: "Thrown away", deleted_at: now }),
];

/** How wide the window is; tells media queries as a resized window would. */
function resize(width: number): void {
  (
    window as unknown as { happyDOM: { setViewport(size: { width: number; height: number }): void } }
  ).happyDOM.setViewport({
    width,
    height: 800,
  });
}

async function open(options: FakeOptions = {}) {
  const host = new FakeHost({ sessions: sessions(), ...options });
  const view = render(App, { platform: host });
  await waitFor(() => expect(host.calls.some((call) => call.name === "session_list")).toBe(true));
  return { host, view, user: userEvent.setup() };
}

/** Everything but what needs a layout: the desktop tests measure colours in the real web view. */
async function violations(): Promise<string[]> {
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } });
  return found.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.impact} ${violation.id}: ${node.html.slice(0, 160)}`),
  );
}
const serious = (lines: string[]) => lines.filter((line) => /^(serious|critical)/.test(line));

beforeEach(() => {
  localStorage.clear();
  resize(1280);
});
afterEach(() => resize(1024));
afterEach(() => void vi.restoreAllMocks());

describe("the narrow window", () => {
  test("keeps the sidebar in a drawer that Escape and choosing a session close", async () => {
    resize(640);
    const { user } = await open();
    expect(screen.queryByRole("navigation", { name: "Sidebar" })).toBeNull();
    const opener = screen.getByRole("button", { name: /sidebar/i });
    await user.click(opener);
    const drawer = screen.getByRole("dialog", { name: "Sidebar" });
    expect(within(drawer).getByRole("navigation", { name: "Sidebar" })).toBeInTheDocument();
    expect(screen.getByRole("main").closest("[inert]")).not.toBeNull();
    await waitFor(() => expect(drawer).toContainElement(document.activeElement as HTMLElement));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await waitFor(() => expect(opener).toHaveFocus());
    await user.click(opener);
    await user.click(await screen.findByRole("row", { name: /^Second,/ }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.getByRole("main")).toHaveTextContent("Second");
  });
});

describe("a Ctrl-click", () => {
  test("twice takes away one session, because the second one meets a row that moves", async () => {
    // This DOM moves nothing: a row moves as long as the list's style says so.
    vi.spyOn(Element.prototype, "getAnimations").mockImplementation(function (this: Element) {
      return this.closest(".closing") === null ? [] : [new Animation()];
    });
    const { host } = await open();
    const archived = () => host.calls.filter((call) => call.name === "session_update");
    fireEvent.click(await screen.findByRole("row", { name: /^First,/ }), { ctrlKey: true });
    await tick();
    expect(screen.queryByRole("row", { name: /^First,/ })).toBeNull();
    fireEvent.click(screen.getByRole("row", { name: /^Second,/ }), { ctrlKey: true });
    await waitFor(() => expect(document.querySelector(".closing")).toBeNull());
    expect(archived()).toHaveLength(1);
    fireEvent.click(screen.getByRole("row", { name: /^Second,/ }), { ctrlKey: true });
    await waitFor(() => expect(archived()).toHaveLength(2));
  });
});

describe("a sub-agent's notice", () => {
  const notice = messageRow(0, {
    role: "notice",
    text: "",
    notice: {
      kind: "delegation",
      source_id: "d1",
      state: "done",
      failed: false,
      command: "Look for the cause",
      output: "Found it.",
      child_session_id: "child",
    },
  });
  const options = (children: FakeOptions["children"]): FakeOptions => ({
    ...(children ? { children } : {}),
    messages: (id) => (id === "b" ? [notice] : [messageRow(0, { text: "The sub-agent's own words" })]),
  });

  test("opens the child session, which is in no list and goes into none", async () => {
    const { host, user } = await open(options([session("child", { title: "Child", unread: true })]));
    await user.click(await screen.findByRole("row", { name: /^Second,/ }));
    await user.click(await screen.findByRole("button", { name: "Open child session" }));
    expect(await screen.findByText("The sub-agent's own words")).toBeInTheDocument();
    expect(screen.getByRole("heading", { name: "Child" })).toBeInTheDocument();
    await waitFor(() => expect(host.calls.some((call) => call.name === "session_mark")).toBe(true));
    host.send({ type: "sessions_changed", ids: ["child"] });
    await waitFor(() =>
      expect(host.calls.filter((call) => call.name === "session_get").length).toBeGreaterThan(1),
    );
    await screen.findByRole("row", { name: /^Second,/ });
    expect(screen.queryByRole("row", { name: /^Child,/ })).toBeNull();
    expect(document.querySelector('[role="row"][aria-selected="true"]')).toBeNull();
    await user.click(screen.getByRole("button", { name: "Session menu" }));
    expect(screen.getAllByRole("menuitem").map((item) => item.textContent?.trim())).toEqual(["Copy ID"]);
  });

  test("says so when the child session is gone, and the chat stays", async () => {
    const { user } = await open(options(undefined));
    await user.click(await screen.findByRole("row", { name: /^Second,/ }));
    await user.click(await screen.findByRole("button", { name: "Open child session" }));
    expect(await screen.findByText("Could not open the session:")).toBeInTheDocument();
    expect(screen.getByRole("heading", { name: "Second" })).toBeInTheDocument();
  });
});

describe("the keyboard", () => {
  test("F6 goes round the sidebar, the chat and a toast", async () => {
    const { user } = await open();
    const row = await screen.findByRole("row", { name: /^Second,/ });
    row.focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    await user.keyboard("{F6}");
    // Without a model the empty draft has something to do.
    expect(screen.getByRole("button", { name: "Model settings" })).toHaveFocus();
    await user.keyboard("{F6}");
    expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus();
    await user.keyboard("{F6}");
    expect(screen.getByRole("button", { name: "Undo" })).toHaveFocus();
    await user.keyboard("{F6}");
    await waitFor(() =>
      expect(screen.getByRole("navigation")).toContainElement(document.activeElement as HTMLElement),
    );
    await user.keyboard("{Shift>}{F6}{/Shift}");
    expect(screen.getByRole("button", { name: "Undo" })).toHaveFocus();
  });

  test("the list is one stop; arrows, Home and End walk both sections", async () => {
    const { user } = await open();
    (await screen.findByRole("row", { name: /^Pinned one,/ })).focus();
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(screen.getByRole("row", { name: "x, 1 session" })).toHaveFocus());
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(screen.getByRole("row", { name: /^First,/ })).toHaveFocus());
    await user.keyboard("{ArrowLeft}");
    await waitFor(() => expect(screen.getByRole("row", { name: "x, 1 session" })).toHaveFocus());
    await user.keyboard("{End}");
    await waitFor(() => expect(screen.getByRole("row", { name: /^Second,/ })).toHaveFocus());
    await user.keyboard("{Home}");
    await waitFor(() => expect(screen.getByRole("row", { name: /^Pinned one,/ })).toHaveFocus());
    expect(document.querySelectorAll('nav [role="row"][tabindex="0"]')).toHaveLength(1);
  });

  test("Ctrl comma opens Settings, Escape comes back to the button that does the same", async () => {
    const { user } = await open();
    await user.keyboard("{Control>},{/Control}");
    expect(await screen.findByRole("heading", { name: "General" })).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.getByRole("button", { name: "Settings" })).toHaveFocus());
  });

  test("Ctrl Shift F goes to the search, Ctrl N to a fresh message", async () => {
    const { user } = await open();
    await user.keyboard("{Control>}{Shift>}F{/Shift}{/Control}");
    await waitFor(() => expect(screen.getByRole("searchbox", { name: "Search sessions" })).toHaveFocus());
    await user.keyboard("{Control>}n{/Control}");
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus());
  });

  test("the sidebar's edge moves by arrows within its bounds and is remembered", async () => {
    const { host, user } = await open({ settings: { sidebar_width: 470 } });
    const edge = await screen.findByRole("separator", { name: "Sidebar width" });
    await waitFor(() => expect(edge).toHaveAttribute("aria-valuenow", "470"));
    edge.focus();
    await user.keyboard("{ArrowRight}");
    await waitFor(() => expect(edge).toHaveAttribute("aria-valuenow", "480"));
    await user.keyboard("{ArrowLeft}{ArrowLeft}");
    await waitFor(() => expect(host.settings.sidebar_width).toBe(448));
  });
});

describe("the settings", () => {
  test("a theme shows at once, is kept, and is remembered for the next first paint", async () => {
    const { host, user } = await open();
    await user.click(screen.getByRole("button", { name: "Settings" }));
    await user.click(screen.getByRole("radio", { name: "Dark" }));
    expect(document.documentElement).toHaveAttribute("data-theme", "dark");
    expect(host.settings.theme).toBe("dark");
    expect(localStorage.getItem("talaria.theme")).toBe("dark");
    await user.click(screen.getByRole("radio", { name: "Light" }));
    expect(document.documentElement).toHaveAttribute("data-theme", "light");
  });

  test("a setting that is not saved goes back and says so", async () => {
    const { host, user } = await open({ settings: { theme: "light" } });
    await user.click(screen.getByRole("button", { name: "Settings" }));
    host.refuse.set("settings_update", {
      code: "read_only",
      message: "The data folder is read only.",
      retryable: false,
    });
    await user.click(screen.getByRole("radio", { name: "Dark" }));
    expect(await screen.findByText("Setting not saved:")).toBeInTheDocument();
    expect(document.documentElement).toHaveAttribute("data-theme", "light");
  });

  test("Keyboard lists every shortcut with its keys", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Settings" }));
    await user.click(screen.getByRole("button", { name: "Keyboard" }));
    const page = screen.getByRole("region", { name: "Keyboard" });
    expect(within(page).getByText("Search sessions").parentElement).toHaveTextContent("Ctrl Shift F");
    expect(within(page).getByText("Mark unread or read").parentElement).toHaveTextContent("U");
  });

  test("About says version and data folder", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Settings" }));
    await user.click(screen.getByRole("button", { name: "About" }));
    expect(screen.getByText("Talaria 0.1.0")).toBeInTheDocument();
    expect(screen.getByText("~/.local/share/talaria")).toBeInTheDocument();
  });
});

describe("an import that goes on after Start", () => {
  test("shows how far it is in the sidebar, can be cancelled, and says its end", async () => {
    const { host, user } = await open();
    host.send({
      type: "import_changed",
      status: { state: "running", progress: { done: 50, total: 200, current: null } },
    });
    expect(await screen.findByRole("progressbar")).toHaveAttribute("aria-valuenow", "25");
    await user.click(screen.getByRole("button", { name: "Cancel import" }));
    expect(host.calls.some((call) => call.name === "import_cancel")).toBe(true);
    await waitFor(() => expect(screen.queryByRole("progressbar")).toBeNull());
  });
});

describe("axe finds nothing serious", () => {
  test("in the sessions and the archive with ticked rows", async () => {
    const { user } = await open();
    fireEvent.click(await screen.findByRole("row", { name: /^First,/ }), { shiftKey: true });
    await screen.findByRole("toolbar", { name: "Selection" });
    expect(serious(await violations())).toEqual([]);
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "Settings" }));
    await user.click(screen.getByRole("checkbox", { name: "Archive sessions without activity" }));
    await screen.findByText("No session would be archived now");
    expect(serious(await violations())).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Archived Chats" }));
    await user.click(await screen.findByRole("checkbox", { name: "Select Put away" }));
    expect(serious(await violations())).toEqual([]);
  });

  test("in the sessions with an open menu", async () => {
    const { user } = await open();
    await screen.findByRole("row", { name: /^First,/ });
    await user.click(screen.getByRole("button", { name: "Actions for First" }));
    expect(serious(await violations())).toEqual([]);
  });

  test("in the results of a search", async () => {
    const { user } = await open();
    await user.type(screen.getByRole("searchbox", { name: "Search sessions" }), "s");
    await screen.findByRole("treegrid", { name: "Titles" });
    expect(serious(await violations())).toEqual([]);
  });

  test("on each page of the settings", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Settings" }));
    for (const page of ["General", "Archived Chats", "Keyboard", "About"]) {
      await user.click(screen.getByRole("button", { name: page }));
      expect(serious(await violations())).toEqual([]);
    }
  });

  test("at the first start and on the failure page", async () => {
    const { view } = await open({
      sessions: [],
      settings: { setup_done: false },
      boot: { first_start: true },
    });
    await screen.findByRole("main", { name: "Set up Talaria" });
    expect(serious(await violations())).toEqual([]);
    view.unmount();
    const failure = {
      code: "in_use" as const,
      title: "In use",
      message: "Close it.",
      log: ["a"],
      retry_at: now,
      recoverable: false,
    };
    render(App, { platform: new FakeHost({ boot: { phase: "failed", failure } }) });
    await screen.findByRole("alert", { name: "Could not start" });
    expect(serious(await violations())).toEqual([]);
  });
});
