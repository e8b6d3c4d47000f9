import { cleanup, render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import App from "../App.svelte";
import { sampleModel } from "../dev/fake-live";
import { FakeHost, session } from "../test/fake";

beforeEach(() => localStorage.clear());
afterEach(cleanup);

async function open() {
  const host = new FakeHost({
    sessions: [
      session("a", { title: "Alpha", running: true, approvals: 2, unread: true, last_active: 3_000 }),
      session("b", { title: "Beta", last_active: 2_000 }),
    ],
  });
  host.live.model = sampleModel;
  for (const text of ["One", "Two"]) {
    host.write("b", { text });
    host.write("b", { role: "assistant", text: `Answer to ${text}` });
  }
  render(App, { platform: host });
  await waitFor(() => expect(row("a")).toBeInTheDocument());
  await waitFor(() => expect(host.calls.some(({ name }) => name === "model_status")).toBe(true));
  return { host, user: userEvent.setup() };
}

const row = (id: string) => document.querySelector<HTMLElement>(`nav [data-session-id="${id}"]`)!;
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const heading = (name: string) => screen.findByRole("heading", { level: 1, name });
const called = (host: FakeHost, command: string) =>
  host.calls.filter(({ name }) => name === command).map(({ request }) => request);

test("a row says by its name that it runs, is unread and waits for approvals", async () => {
  await open();
  expect(row("a")).toHaveAccessibleName(/^Alpha, running, unread, 2 approvals needed, /);
  expect(row("a")).toHaveTextContent("2");
});

test("the first prompt of a draft makes the session, which stays what is open", async () => {
  const { host, user } = await open();
  expect(called(host, "session_create")).toEqual([]);
  await user.type(field(), "Hello there{Enter}");
  await heading("Hello there");
  expect(called(host, "session_create")).toHaveLength(1);
  expect(called(host, "prompt_submit")).toMatchObject([{ text: "Hello there" }]);
  expect(row("new-2")).toBeInTheDocument();
  expect(field()).toHaveValue("");
  expect(field()).toHaveFocus();
  expect(await screen.findByRole("button", { name: "Stop" })).toBeVisible();
});

test("a prompt that comes through after another session was opened does not take the window", async () => {
  const { host, user } = await open();
  host.hold.add("prompt_submit");
  await user.type(field(), "Hello there{Enter}");
  await user.click(row("b"));
  await heading("Beta");
  await waitFor(() => expect(host.release("prompt_submit")).toBe(true));
  await waitFor(() => expect(host.sessions).toHaveLength(3));
  await screen.findByText("Answer to Two");
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Beta");
  expect(field()).toHaveValue("");
});

test("Ctrl and the full stop end the turn that is shown", async () => {
  const { host, user } = await open();
  await user.click(row("b"));
  await waitFor(() => expect(host.live.of("b")).toBeDefined());
  host.live.change(host.live.of("b")!.live_id, { change: "state", state: "running", since: Date.now() });
  await screen.findByRole("button", { name: "Stop" });
  await user.keyboard("{Control>}.{/Control}");
  await waitFor(() => expect(called(host, "session_interrupt")).toHaveLength(1));
});

test("the last exchange is taken back after a question, its prompt goes to where one writes", async () => {
  const { host, user } = await open();
  await user.click(row("b"));
  await screen.findByText("Answer to Two");
  await user.click(screen.getByRole("button", { name: "Session menu" }));
  await user.click(await screen.findByRole("menuitem", { name: "Undo last exchange" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(field()).toHaveValue("Two"));
  await waitFor(() => expect(screen.queryByText("Answer to Two")).toBeNull());
  expect(screen.getByText("Answer to One")).toBeInTheDocument();
  expect(called(host, "session_undo")).toHaveLength(1);
});

test("what somebody wants to see here is opened", async () => {
  const { host } = await open();
  host.send({ type: "session_wanted", session_id: "b" });
  await heading("Beta");
});

test("after a gap in the events every live session is read anew", async () => {
  const { host, user } = await open();
  await user.click(row("b"));
  await waitFor(() => expect(host.live.of("b")).toBeDefined());
  const { live_id } = host.live.of("b")!;
  host.live.change(live_id, { change: "state", state: "running", since: Date.now() }, true);
  host.live.change(live_id, { change: "text", append: "Missed words" }, true);
  host.send({ type: "sessions_changed", ids: ["a"] }, host.seq + 5);
  await screen.findByText("Missed words");
});
