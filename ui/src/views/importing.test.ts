import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import App from "../App.svelte";
import type { ImportReport } from "../ipc";
import { FakeHost, session } from "../test/fake";

const store = {
  path: "/home/ada/.hermes/state.db",
  sessions: 900,
  messages: 9_000,
  archived: 3,
  bytes: 1_000,
};
const counts = { active: 0, archived: 0, trash: 0, pinned: 0, hidden: 0 };
const report: ImportReport = {
  path: store.path,
  source_sessions: 900,
  source_messages: 9_000,
  sessions: 7,
  messages: 70,
  listed: 7,
  lineages: 0,
  branches: 0,
  delegate_children: 0,
  notices: 0,
  tool_calls: 0,
  archived: 0,
  empty: 0,
  unshown_messages: 0,
  unchanged: 893,
  skipped: [],
  before: counts,
  after: counts,
  cancelled: false,
  elapsed_ms: 10,
};

function old(count: number) {
  return Array.from({ length: count }, (_, index) =>
    session(`s${index}`, { title: `Old ${index}`, last_active: 1_000_000 - index }),
  );
}

function start(count = 200) {
  const host = new FakeHost({ store, sessions: old(count), settings: { group_by_workspace: false } });
  render(App, { platform: host });
  return { host, user: userEvent.setup() };
}

/** As the store ends an import: its status, then word that any row may be another. */
function end(host: FakeHost, result: ImportReport): void {
  host.importStatus = { state: "done", report: result };
  host.send({ type: "import_changed", status: host.importStatus });
  host.send({ type: "sessions_changed", ids: [] });
}

function progress(host: FakeHost, done: number): void {
  host.importStatus = { state: "running", progress: { done, total: 900, current: null } };
  host.send({ type: "import_changed", status: host.importStatus });
}

const lists = (host: FakeHost) =>
  host.calls.filter(
    (call) => call.name === "session_list" && (call.request as { pinned?: boolean }).pinned === false,
  ).length;

beforeEach(() => localStorage.clear());
afterEach(() => void vi.useRealTimers());

describe("an import beside the work", () => {
  test("Settings offers the step of the first start, and its result", async () => {
    const { host, user } = start(3);
    await user.click(await screen.findByRole("button", { name: "Settings" }));
    const part = within(screen.getByRole("region", { name: "Import from Hermes" }));
    expect(await part.findByText("~/.hermes/state.db")).toBeInTheDocument();
    expect(part.getByRole("button", { name: "Other file..." })).toBeInTheDocument();
    expect(part.queryByRole("button", { name: "Skip" })).toBeNull();
    await user.click(part.getByRole("button", { name: "Import all" }));
    progress(host, 450);
    await waitFor(() => expect(part.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "50"));
    await user.click(part.getByRole("button", { name: "Cancel" }));
    expect(host.calls.some((call) => call.name === "import_cancel")).toBe(true);
    await user.click(await part.findByRole("button", { name: "Import all" }));
    end(host, report);
    expect(await part.findByText(/7 of 900 sessions imported/)).toBeInTheDocument();
    await user.click(part.getByRole("button", { name: "Show report" }));
    expect(part.getByRole("region", { name: "Report of the import" })).toHaveTextContent("893");
    expect(part.getByRole("button", { name: "Import all" })).toBeInTheDocument();
  });

  test("its end is said once, and what is in view and open stays in its place", async () => {
    const { host, user } = start();
    await user.click(await screen.findByRole("row", { name: /^Old 3,/ }));
    const scroller = screen.getByRole("treegrid", { name: "Sessions" }).closest<HTMLElement>(".scroller")!;
    scroller.scrollTop = 3_000;
    scroller.dispatchEvent(new Event("scroll"));
    await waitFor(() => expect(screen.getByRole("row", { name: /^Old 100,/ })).toBeInTheDocument());
    progress(host, 1);
    host.sessions.push(
      ...Array.from({ length: 7 }, (_, index) =>
        session(`n${index}`, { title: `New ${index}`, last_active: 2_000_000 + index }),
      ),
    );
    end(host, report);
    await waitFor(() => expect(scroller.scrollTop).toBe(3_000 + 7 * 30));
    await waitFor(() => expect(screen.getAllByText(/7 sessions are new/)).toHaveLength(1));
    expect(screen.getByText(/Import finished/)).toBeInTheDocument();
    expect(host.calls.filter((call) => call.name === "message_page")).toHaveLength(1);
    scroller.scrollTop = 0;
    scroller.dispatchEvent(new Event("scroll"));
    await waitFor(() =>
      expect(screen.getByRole("row", { name: /^Old 3,/ })).toHaveAttribute("aria-selected", "true"),
    );
  });

  test("the open row stays where it is also at the top of the list", async () => {
    const { host, user } = start();
    await user.click(await screen.findByRole("row", { name: /^Old 3,/ }));
    const scroller = screen.getByRole("treegrid", { name: "Sessions" }).closest<HTMLElement>(".scroller")!;
    progress(host, 1);
    host.sessions.push(session("n", { title: "New", last_active: 2_000_000 }));
    end(host, { ...report, listed: 1 });
    await waitFor(() => expect(scroller.scrollTop).toBe(30));
    expect(await screen.findByText(/1 session is new/)).toBeInTheDocument();
  });

  test("while it runs the list follows at most once in two seconds", async () => {
    const { host } = start(3);
    await screen.findByRole("row", { name: /^Old 1,/ });
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 60_000);
    const before = lists(host);
    for (let done = 1; done <= 19; done++) {
      progress(host, done);
      vi.setSystemTime(Date.now() + 100);
      await Promise.resolve();
    }
    expect(lists(host) - before).toBe(1);
    vi.setSystemTime(Date.now() + 200);
    await waitFor(() => {
      progress(host, 20);
      expect(lists(host) - before).toBe(2);
    });
  });
});
