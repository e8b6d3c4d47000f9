import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import App from "../App.svelte";
import { FakeHost, session, type FakeOptions } from "../test/fake";

const sessions = () => [session("a", { title: "First" }), session("b", { title: "Second" })];

async function open(options: FakeOptions = {}, alone: string | null = null) {
  const host = new FakeHost({ sessions: sessions(), ...options });
  render(App, { platform: host, alone });
  await waitFor(() => expect(host.calls.some((call) => call.name === "settings_get")).toBe(true));
  return { host, user: userEvent.setup() };
}
const opened = (host: FakeHost) =>
  host.calls.filter((call) => call.name === "window_open").map((call) => call.request);

beforeEach(() => localStorage.clear());
afterEach(() => (document.title = ""));

describe("a session is opened in a window of its own", () => {
  test("by its menu and by Ctrl Enter", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Actions for First" }));
    await user.click(screen.getByRole("menuitem", { name: "Open in new window" }));
    expect(opened(host)).toEqual([{ id: "a" }]);
    const row = screen.getByRole("row", { name: /^Second,/ });
    row.focus();
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(opened(host)).toEqual([{ id: "a" }, { id: "b" }]));
  });

  test("by its header", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("row", { name: /^First,/ }));
    await user.click(await screen.findByRole("button", { name: "Open in new window" }));
    expect(opened(host)).toEqual([{ id: "a" }]);
  });

  test("by a Ctrl-click when the setting says so, and then nothing is archived", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Settings" }));
    await user.click(screen.getByRole("radio", { name: "Open in new window" }));
    await waitFor(() => expect(host.settings.row_click).toBe("window"));
    await user.click(screen.getByRole("button", { name: "Back to sessions" }));
    await fireEvent.click(await screen.findByRole("row", { name: /^First,/ }), { ctrlKey: true });
    await waitFor(() => expect(opened(host)).toEqual([{ id: "a" }]));
    expect(host.sessions.some((row) => row.archived)).toBe(false);
  });

  test("and a refusal is said", async () => {
    const { host, user } = await open();
    host.refuse.set("window_open", { code: "not_found", message: "This session is gone.", retryable: false });
    await user.click(await screen.findByRole("button", { name: "Actions for First" }));
    await user.click(screen.getByRole("menuitem", { name: "Open in new window" }));
    expect((await screen.findByText("No window was opened:")).parentElement).toHaveTextContent(
      "This session is gone.",
    );
  });
});

describe("the window of one session", () => {
  test("has no list, takes the session, and its title is the session's", async () => {
    const { host } = await open({}, "b");
    expect(await screen.findByRole("heading", { name: "Second" })).toBeInTheDocument();
    expect(screen.queryByRole("navigation", { name: "Sidebar" })).toBeNull();
    expect(screen.queryByRole("button", { name: /sidebar/i })).toBeNull();
    expect(host.calls).toContainEqual({ name: "session_activate", request: { id: "b" } });
    expect(host.calls.some((call) => call.name === "session_list")).toBe(false);
    expect(document.title).toBe("Second");
    host.sessions[1]!.title = "Renamed";
    host.send({ type: "sessions_changed", ids: ["b"] });
    await waitFor(() => expect(document.title).toBe("Renamed"));
  });

  test("brings the main window forward by its button, and for what only that one has", async () => {
    const { host, user } = await open({}, "b");
    await user.click(await screen.findByRole("button", { name: "Open the main window" }));
    expect(opened(host)).toEqual([{}]);
    await user.keyboard("{Control>}n{/Control}");
    await user.keyboard("{Control>}{Shift>}f{/Shift}{/Control}");
    await waitFor(() => expect(opened(host)).toEqual([{}, {}, {}]));
    expect(screen.getByRole("heading", { name: "Second" })).toBeInTheDocument();
  });

  test("opens what was made of its session in a window of its own", async () => {
    const { host, user } = await open({}, "b");
    await user.click(await screen.findByRole("button", { name: "Session menu" }));
    expect(screen.queryByRole("menuitem", { name: "Open in new window" })).toBeNull();
    await user.click(screen.getByRole("menuitem", { name: "Duplicate" }));
    await waitFor(() => expect(opened(host)).toEqual([{ id: "b-copy" }]));
    expect(screen.getByRole("heading", { name: "Second" })).toBeInTheDocument();
  });

  test("says that its session is gone and still writes", async () => {
    const { host } = await open({ sessions: [] }, "b");
    expect((await screen.findByText("Could not open the session:")).parentElement).toHaveTextContent(
      "This session does not exist any more.",
    );
    expect(screen.getByRole("textbox", { name: "Message" })).toBeInTheDocument();
    expect(host.calls.some((call) => call.name === "import_probe")).toBe(false);
  });
});

describe("the last window while work runs", () => {
  test("asks, names what runs, and Cancel keeps it", async () => {
    const { host, user } = await open();
    host.live.running = ["Backfill 2023 orders", "Nightly build"];
    host.send({ type: "quit_asked" });
    const question = await screen.findByRole("dialog", { name: "Quit while work runs?" });
    expect(question).toHaveTextContent("“Backfill 2023 orders”, “Nightly build” are at work.");
    const cancel = screen.getByRole("button", { name: "Cancel" });
    expect(cancel).toHaveFocus();
    await user.click(cancel);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(host.calls.some((call) => call.name === "app_quit")).toBe(false);
  });

  test("Stop and quit ends the app", async () => {
    const { host, user } = await open();
    host.live.running = ["One", "Two", "Three", "Four", "Five"];
    host.send({ type: "quit_asked" });
    const question = await screen.findByRole("dialog", { name: "Quit while work runs?" });
    expect(question).toHaveTextContent("“Three” and 2 more are at work.");
    await user.click(screen.getByRole("button", { name: "Stop and quit" }));
    await waitFor(() => expect(host.calls.some((call) => call.name === "app_quit")).toBe(true));
  });
});
