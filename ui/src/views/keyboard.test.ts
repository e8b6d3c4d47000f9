/** Where the focus is, what keys act on, and what the web view may do by itself. */
import { readFileSync } from "node:fs";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import App from "../App.svelte";
import { messageRow } from "../dev/fake-chat";
import { FakeHost, session, type FakeOptions } from "../test/fake";

const now = Date.now();
const sessions = () => [
  session("a", { title: "First", folder: "/w/x", workspace: "x", last_active: now - 2 }),
  session("b", { title: "Second", preview: "about media", last_active: now - 3 }),
  session("c", { title: "Third", preview: null, last_active: now - 4 }),
];

function resize(width: number): void {
  (
    window as unknown as { happyDOM: { setViewport(size: { width: number; height: number }): void } }
  ).happyDOM.setViewport({ width, height: 800 });
}

async function open(options: FakeOptions = {}) {
  const host = new FakeHost({ sessions: sessions(), ...options });
  render(App, { platform: host });
  await waitFor(() => expect(host.calls.some((call) => call.name === "session_list")).toBe(true));
  return { host, user: userEvent.setup() };
}

const row = (name: string) => screen.findByRole("row", { name: new RegExp(`^${name},`) });
/** Whether the web view may go on with it. */
const left = (target: Element, event: Event) => target.dispatchEvent(event);
const rightClick = (target: Element) =>
  left(target, new MouseEvent("contextmenu", { bubbles: true, cancelable: true }));
const archived = (host: FakeHost) => host.sessions.filter((one) => one.archived).map((one) => one.id);
const message = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const searchField = () => screen.getByRole("searchbox", { name: "Search sessions" });
/** Lets everything that is under way be drawn. */
const settle = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  localStorage.clear();
  resize(1280);
});
afterEach(() => {
  cleanup();
  resize(1024);
});

describe("the search shortcut", () => {
  test("goes to the field in the drawer of a narrow window, and no letter acts on a row", async () => {
    resize(640);
    const { host, user } = await open();
    await user.click(screen.getByRole("button", { name: /sidebar/i }));
    await user.click(await row("Second"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    fireEvent.keyDown(document.body, { key: "F", ctrlKey: true, shiftKey: true });
    expect(searchField()).toHaveFocus();
    await settle();
    expect(searchField()).toHaveFocus();
    await user.keyboard("media");
    expect(searchField()).toHaveValue("media");
    expect(archived(host)).toEqual([]);
  });

  test("keeps the field when a restored row comes back late", async () => {
    const { host, user } = await open();
    (await row("Second")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    host.hold.add("session_update");
    await user.keyboard("{Control>}z{/Control}");
    await user.keyboard("{Control>}{Shift>}F{/Shift}{/Control}");
    host.release("session_update");
    await row("Second");
    await settle();
    expect(searchField()).toHaveFocus();
  });
});

describe("the ring", () => {
  const root = document.documentElement;

  test("shows when keys move the focus, also after a click, and not for the click", async () => {
    const { user } = await open();
    await user.click(await row("First"));
    expect(root).not.toHaveAttribute("data-keyboard");
    await user.keyboard("{ArrowDown}");
    expect(root).toHaveAttribute("data-keyboard");
    await user.keyboard("{Control>}");
    await user.click(await row("Second"));
    expect(root).not.toHaveAttribute("data-keyboard");
    await user.keyboard("{/Control}{F6}");
    expect(root).toHaveAttribute("data-keyboard");
  });

  test("does not hang on the web view's own judgement alone", () => {
    const base = readFileSync("src/styles/base.css", "utf8");
    expect(base).toMatch(/:focus-visible,\s*:where\(\[data-keyboard\]\) :focus \{\s*outline: 2px solid/);
    for (const name of ["sidebar/TreeRow", "sidebar/GroupHead", "search/ResultRow", "transcript/Article"]) {
      const style = readFileSync(`src/features/${name}.svelte`, "utf8");
      // An offset is for every focus, so that it holds for both rings.
      expect(style).not.toMatch(/:focus-visible \{\s*outline-offset/);
    }
  });

  test("rows are not text that a double click selects", () => {
    expect(readFileSync("src/features/sidebar/Sidebar.svelte", "utf8")).toContain("user-select: none");
    expect(readFileSync("src/styles/base.css", "utf8")).toMatch(/input,\s*textarea \{[^}]*user-select: text/);
  });
});

describe("undo", () => {
  test("waits for the archive that the store has not answered yet", async () => {
    const { host, user } = await open();
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    host.hold.add("session_update");
    (await row("Second")).focus();
    await user.keyboard("e");
    await user.keyboard("{Control>}z{/Control}");
    expect(archived(host)).toEqual(["a", "b"]);
    host.hold.clear();
    host.release("session_update");
    await waitFor(() => expect(archived(host)).toEqual(["a"]));
    await row("Second");
    // Taken back before it was offered: the toast that stands is that of the first.
    expect(screen.getByText("Archived", { selector: "strong" })).toBeInTheDocument();
    expect(screen.getAllByRole("button", { name: "Undo" })).toHaveLength(1);
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(archived(host)).toEqual([]));
  });

  test("of an archive that failed takes back nothing", async () => {
    const { host, user } = await open();
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    host.refuse.set("session_update", { code: "internal", message: "The disk is full.", retryable: true });
    host.hold.add("session_update");
    (await row("Second")).focus();
    await user.keyboard("e{Control>}z{/Control}");
    host.hold.clear();
    host.release("session_update");
    await screen.findByText(/The disk is full/);
    await settle();
    expect(archived(host)).toEqual(["a"]);
  });

  test("in the composer is the field's own while it has letters, and the list's when it has none", async () => {
    const command = vi.fn(() => true);
    document.execCommand = command;
    const { host, user } = await open();
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    message().focus();
    await user.keyboard("hi{Control>}z{/Control}");
    expect(command).toHaveBeenLastCalledWith("undo");
    await user.keyboard("{Control>}{Shift>}Z{/Shift}{/Control}");
    expect(command).toHaveBeenLastCalledWith("redo");
    await user.keyboard("{Backspace}{Backspace}");
    expect(message()).toHaveValue("");
    // What was just erased by hand is nearer than the list.
    await user.keyboard("{Control>}z{/Control}");
    expect(archived(host)).toEqual(["a"]);
    (await row("Second")).focus();
    await user.keyboard("e");
    await waitFor(() => expect(archived(host)).toEqual(["a", "b"]));
    await settle();
    message().focus();
    command.mockClear();
    await user.keyboard("{Control>}z{/Control}");
    await waitFor(() => expect(archived(host)).toEqual(["a"]));
    expect(command).not.toHaveBeenCalled();
    expect(message()).toHaveFocus();
  });

  test("the composer's value is set by script only when another draft is shown", async () => {
    await open();
    await row("First");
    const set = vi.fn();
    const field = message();
    const own = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")!;
    Object.defineProperty(field, "value", {
      configurable: true,
      get: () => own.get!.call(field) as string,
      set,
    });
    for (const letters of ["h", "hi", "hi "]) {
      own.set!.call(field, letters);
      field.dispatchEvent(new Event("input", { bubbles: true }));
      await settle();
    }
    expect(set).not.toHaveBeenCalled();
  });
});

describe("a toast with the focus", () => {
  test("does not run out, also when the window goes to the back", async () => {
    const { user } = await open();
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    vi.useFakeTimers();
    try {
      const undo = screen.getByRole("button", { name: "Undo" });
      undo.focus();
      // As a window that loses the focus says it: nothing takes it, and the element stays the active one.
      fireEvent.focusOut(undo, { relatedTarget: null });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(undo).toBeInTheDocument();
      expect(undo).toHaveFocus();
    } finally {
      vi.useRealTimers();
    }
  });

  test("gives the focus back to where it was when it goes", async () => {
    const { user } = await open();
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    message().focus();
    await user.keyboard("{F6}");
    expect(screen.getByRole("button", { name: "Undo" })).toHaveFocus();
    await user.tab();
    expect(screen.getByRole("button", { name: "Close" })).toHaveFocus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(message()).toHaveFocus());
  });

  test("gives it to the list when where it was is gone", async () => {
    const { user } = await open();
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    const gone = document.body.appendChild(document.createElement("button"));
    gone.focus();
    screen.getByRole("button", { name: "Close" }).focus();
    gone.remove();
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(screen.getByRole("navigation")).toContainElement(document.activeElement as HTMLElement),
    );
  });

  test("stands above the composer also after Settings", async () => {
    const rect = { left: 320, right: 1260, top: 700, bottom: 740, width: 940, height: 40, x: 320, y: 700 };
    vi.spyOn(HTMLTextAreaElement.prototype, "getBoundingClientRect").mockReturnValue({
      ...rect,
      toJSON: () => rect,
    });
    const { user } = await open();
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    const toasts = document.querySelector<HTMLElement>('[data-round="toasts"]')!;
    expect(toasts.style.insetBlockEnd).toBe("112px");
    await user.keyboard("{Control>},{/Control}");
    await waitFor(() => expect(toasts.style.insetBlockEnd).toBe("16px"));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(toasts.style.insetBlockEnd).toBe("112px"));
  });
});

describe("F6", () => {
  test("reaches what is read, what is written and the toast", async () => {
    const { user } = await open({ messages: () => [messageRow(0, { text: "Words" })] });
    await user.click(await row("Second"));
    await screen.findByText("Words");
    (await row("First")).focus();
    await user.keyboard("e");
    await screen.findByText("Archived", { selector: "strong" });
    await user.keyboard("{F6}");
    expect(screen.getByRole("article")).toHaveFocus();
    await user.keyboard("{F6}");
    expect(message()).toHaveFocus();
    await user.keyboard("{F6}");
    expect(screen.getByRole("button", { name: "Undo" })).toHaveFocus();
    await user.keyboard("{F6}");
    await waitFor(() =>
      expect(screen.getByRole("navigation")).toContainElement(document.activeElement as HTMLElement),
    );
  });
});

test("a row that is pinned by its menu takes the focus along", async () => {
  const { user } = await open();
  (await row("Third")).focus();
  await user.keyboard("{ContextMenu}");
  await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  const pinned = await screen.findByRole("treegrid", { name: "Pinned" });
  await waitFor(() => expect(within(pinned).getByRole("row", { name: /^Third,/ })).toHaveFocus());
});

describe("the web view's own", () => {
  test("menu shows in text fields and on selected words alone", async () => {
    await open();
    const text = screen.getByRole("heading", { name: "Connect a model" });
    expect(rightClick(text)).toBe(false);
    expect(rightClick(message())).toBe(true);
    getSelection()!.selectAllChildren(text);
    expect(rightClick(text)).toBe(true);
    expect(rightClick(screen.getByRole("navigation"))).toBe(false);
    getSelection()!.removeAllRanges();
    expect(rightClick(text)).toBe(false);
  });

  test.each([{ key: "F5" }, { key: "r", ctrlKey: true }, { key: "R", ctrlKey: true, shiftKey: true }])(
    "reload by %o does nothing",
    async (press) => {
      await open();
      const key = (init: KeyboardEventInit) =>
        new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init });
      expect(left(document.body, key(press))).toBe(false);
      expect(left(message(), key({ key: "r" }))).toBe(true);
    },
  );
});

describe("after a search", () => {
  test("its numbers are spoken in their right forms", async () => {
    const { user } = await open();
    await user.type(searchField(), "third");
    expect(await screen.findByText("1 title, 0 messages")).toBeInTheDocument();
  });

  test("the mark of the hit does not come back with the way out of Settings", async () => {
    const { user } = await open({
      messages: (id) => [messageRow(0, { id: `message-of-${id}`, text: "about media" })],
    });
    await user.type(searchField(), "media");
    await user.click(await screen.findByRole("row", { name: /about media/ }));
    await waitFor(() => expect(screen.getByRole("article")).toHaveClass("marked"));
    await user.keyboard("{Control>},{/Control}");
    await screen.findByRole("heading", { name: "General" });
    await user.keyboard("{Escape}");
    const article = await screen.findByRole("article");
    await settle();
    expect(article).not.toHaveClass("marked");
  });

  test("the list shows the open session, and the field keeps the focus", async () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      session(`s${at}`, { title: `Session number ${at}`, last_active: now - at * 1000 }),
    );
    vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockReturnValue(9_000);
    const scrolled = vi.fn();
    HTMLElement.prototype.scrollTo = scrolled as never;
    const { user } = await open({ sessions: many, settings: { group_by_workspace: false } });
    await user.type(searchField(), "number 250");
    await user.click(await screen.findByRole("row", { name: /^Session number 250,/ }));
    scrolled.mockClear();
    await user.clear(searchField());
    await screen.findByRole("row", { name: /^Session number 250,/ });
    const tops = () => scrolled.mock.calls.map(([to]) => (to as { top: number }).top);
    await waitFor(() => expect(Math.max(...tops())).toBeGreaterThan(6_000));
    expect(searchField()).toHaveFocus();
  });
});
