import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import App from "../../App.svelte";
import type { ImportReport } from "../../ipc";
import { FakeHost, refusal, session, type FakeOptions } from "../../test/fake";

const store = {
  path: "/home/ada/.hermes/state.db",
  sessions: 4812,
  messages: 211_930,
  archived: 318,
  bytes: 1_400_000_000,
};
const none = { active: 0, archived: 0, trash: 0, pinned: 0, hidden: 0 };
const report: ImportReport = {
  path: store.path,
  source_sessions: 4812,
  source_messages: 211_930,
  sessions: 4810,
  messages: 211_744,
  listed: 4400,
  lineages: 12,
  branches: 3,
  delegate_children: 20,
  notices: 40,
  tool_calls: 900,
  archived: 318,
  empty: 4,
  unshown_messages: 186,
  unchanged: 0,
  skipped: [
    { origin_id: "x1", title: "Broken", reason: "damaged row: no role" },
    { origin_id: "x2", title: null, reason: "damaged row: no id" },
  ],
  before: none,
  after: { ...none, active: 4492, archived: 318 },
  cancelled: false,
  elapsed_ms: 8_123,
};

async function open(options: FakeOptions = {}) {
  const host = new FakeHost({
    store,
    boot: { first_start: true },
    settings: { setup_done: false },
    ...options,
  });
  render(App, { platform: host });
  await screen.findByRole("main", { name: "Set up Talaria" });
  return { host, user: userEvent.setup() };
}

beforeEach(() => localStorage.clear());

describe("the first start", () => {
  test("says what the Hermes store holds and that it is only read", async () => {
    await open();
    expect(await screen.findByText("4,812")).toBeInTheDocument();
    expect(screen.getByText("1.4 GB")).toBeInTheDocument();
    expect(screen.getByText("~/.hermes/state.db").parentElement).toHaveTextContent(
      /It is only read, never changed\./,
    );
  });

  test("without a store it says so and still takes another file", async () => {
    const { host, user } = await open({ store: null });
    expect(await screen.findByText(/No Hermes store was found/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Import all" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Other file..." }));
    await waitFor(() =>
      expect(host.calls).toContainEqual({
        name: "import_probe",
        request: { path: "/home/ada/old/state.db" },
      }),
    );
  });

  test("shows progress, then what came and what was left out and why", async () => {
    const { host, user } = await open();
    const importAll = await screen.findByRole("button", { name: "Import all" });
    expect(importAll).toHaveClass("primary");
    expect(screen.getByRole("button", { name: "Start" })).not.toHaveClass("primary");
    await user.click(importAll);
    host.send({
      type: "import_changed",
      status: { state: "running", progress: { done: 2984, total: 4812, current: "Weekly finance import" } },
    });
    expect(await screen.findByRole("progressbar")).toHaveAttribute("aria-valuenow", "62");
    expect(screen.getByText(/2,984 of 4,812 sessions/)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Cancel" })).toBeInTheDocument();
    // The work goes on by itself: to begin is what is left to do.
    expect(screen.getByRole("button", { name: "Start" })).toHaveClass("primary");
    host.sessions.push(session("imported", { title: "From Hermes" }));
    host.importStatus = { state: "done", report };
    host.send({ type: "import_changed", status: { state: "done", report: { ...report, skipped: [] } } });
    host.send({ type: "sessions_changed", ids: [] });
    const heading = await screen.findByText(/4,810 of 4,812 sessions imported/);
    expect(heading.closest('[role="status"]')).toHaveTextContent("2 skipped: damaged row");
    await user.click(screen.getByRole("button", { name: "Show report" }));
    expect(screen.getByRole("region", { name: "Report of the import" })).toHaveTextContent(
      "Broken: damaged row: no role",
    );
    await user.click(screen.getByRole("button", { name: "Start" }));
    await waitFor(() => expect(screen.getByRole("row", { name: /^From Hermes,/ })).toBeInTheDocument());
    expect(host.settings.setup_done).toBe(true);
  });

  test("Cancel stops a running import", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Import all" }));
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(host.calls.some((call) => call.name === "import_cancel")).toBe(true);
    expect(await screen.findByRole("button", { name: "Import all" })).toBeInTheDocument();
  });

  test("a refused import says the way out", async () => {
    const { host, user } = await open();
    host.refuse.set("import_start", refusal("newer", "It has schema 24; up to 22 is known. Update Talaria."));
    await user.click(await screen.findByRole("button", { name: "Import all" }));
    const words = await screen.findByText("It has schema 24; up to 22 is known. Update Talaria.");
    expect(words.closest('[role="status"]')).toHaveTextContent("This store is newer than Talaria can read");
    expect(screen.getByRole("button", { name: "Other file..." })).toBeInTheDocument();
  });

  test("can be skipped, and is not shown again", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Skip" }));
    await user.click(screen.getByRole("button", { name: "Start" }));
    await waitFor(() => expect(screen.getByRole("navigation", { name: "Sidebar" })).toBeInTheDocument());
    expect(host.settings.setup_done).toBe(true);
    expect(await screen.findByText("No sessions yet")).toBeInTheDocument();
  });

  test("an other file that is not good leaves the store that was found, and its details can be copied", async () => {
    const { host, user } = await open();
    await screen.findByRole("button", { name: "Import all" });
    host.refuse.set(
      "import_probe",
      refusal("newer", "/home/ada/old/state.db was written by a newer Hermes."),
    );
    await user.click(screen.getByRole("button", { name: "Other file..." }));
    const words = await screen.findByText("/home/ada/old/state.db was written by a newer Hermes.");
    expect(words.closest('[role="status"]')).toHaveTextContent("This store is newer than Talaria can read");
    expect(screen.getByText("4,812")).toBeInTheDocument();
    const written: string[] = [];
    vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void written.push(text));
    await user.click(screen.getByRole("button", { name: "Copy details" }));
    await waitFor(() =>
      expect(written[0]).toMatch(/newer than Talaria can read\n\/home\/ada\/old\/state\.db\n/),
    );

    host.refuse.set("import_choose", refusal("cancelled", "Closed."));
    await user.click(screen.getByRole("button", { name: "Other file..." }));
    await waitFor(() => expect(screen.queryByText(words.textContent!)).toBeNull());
    await user.click(screen.getByRole("button", { name: "Import all" }));
    expect(host.calls).toContainEqual({ name: "import_start", request: {} });
  });

  test("a good other file is offered, with a way back to the store that was found", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Other file..." }));
    expect(await screen.findByText("~/old/state.db")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Back to the store that was found" }));
    expect(screen.getByText("~/.hermes/state.db")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Import all" }));
    expect(host.calls).toContainEqual({ name: "import_start", request: {} });
  });

  test("a cancelled import says how far it came, without a check, and goes on by Import all", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Import all" }));
    const cancelled = { ...report, sessions: 1146, source_sessions: 5029, cancelled: true, skipped: [] };
    host.importStatus = { state: "done", report: cancelled };
    host.send({ type: "import_changed", status: host.importStatus });
    const words = await screen.findByText("Import cancelled. 1,146 of 5,029 sessions were brought in");
    expect(words.querySelector("svg")).toBeNull();
    const step = screen.getByRole("region", { name: "Bring your sessions from Hermes" });
    expect(step.querySelector(".number")).toHaveTextContent("1");
    const again = screen.getByRole("button", { name: "Import all" });
    expect(again).toHaveClass("primary");
    await user.click(again);
    expect(host.calls.filter((call) => call.name === "import_start")).toHaveLength(2);

    const whole = { ...report, skipped: [] };
    host.importStatus = { state: "done", report: whole };
    host.send({ type: "import_changed", status: host.importStatus });
    const done = await screen.findByText(/4,810 of 4,812 sessions imported/);
    expect(done.querySelector("svg")).not.toBeNull();
    expect(step.querySelector(".number svg")).not.toBeNull();
  });
});
