import { cleanup, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import App from "../../App.svelte";
import type { StoreTrouble } from "../../ipc";
import { FakeHost, refusal, session, type FakeOptions } from "../../test/fake";
import { damaged, damagedFailure, recoveryReport, troubles } from "../../test/sample-trouble";
import { asText, duration, sentence, took } from "./words";

beforeEach(() => localStorage.clear());
afterEach(cleanup);

const rows = () => [
  session("a", { title: "Flaky seek", folder: "/w/talaria", workspace: "talaria", last_active: 2_000 }),
  session("b", { title: "Router", unread: true }),
];

async function open(trouble: StoreTrouble | null = damaged, options: FakeOptions = {}) {
  const host = new FakeHost({ sessions: rows(), ...options, boot: { trouble, ...options.boot } });
  render(App, { platform: host });
  const user = userEvent.setup();
  await waitFor(() => expect(host.calls.some((call) => call.name === "session_list")).toBe(true));
  return { host, user };
}

const asked = (host: FakeHost, name: string) =>
  host.calls.filter((call) => call.name === name).map((call) => call.request);
const row = async (title: string) => await screen.findByRole("row", { name: new RegExp(`^${title}`) });

describe("the words of a store in trouble", () => {
  test("count what reads of a damaged one, and are the host's own otherwise", () => {
    expect(sentence(damaged)).toMatch(
      /^3,961 of 4,812 sessions can be read\. You can read and export them now\./,
    );
    expect(sentence({ ...damaged, readable: null })).toBe(damaged.message);
    for (const [code, trouble] of Object.entries(troubles)) {
      if (code !== "damaged") expect(sentence(trouble)).toBe(trouble.message);
    }
  });

  test("tell times as people do", () => {
    expect([1_000, 700_000_000, 1_400_000_000].map(duration)).toEqual([
      "Less than a minute",
      "About a minute",
      "About 2 minutes",
    ]);
    expect([0, 12_400, 112_400].map(took)).toEqual(["It took 1 s.", "It took 12 s.", "It took 1 min 52 s."]);
  });
});

describe("a damaged store", () => {
  test("says what can be read in the chat's place, never an empty list", async () => {
    await open();
    const main = await screen.findByRole("main", { name: "The session store is damaged" });
    expect(within(main).getByRole("alert")).toHaveTextContent("3,961 of 4,812 sessions can be read.");
    expect(within(main).getByText("~/.local/share/talaria/talaria.db")).toBeInTheDocument();
    expect(within(main).getByText("1.4 GB")).toBeInTheDocument();
    expect(within(main).getByText("page 81,204: wrong checksum")).toBeInTheDocument();
    expect(within(main).getByText(/About 2 minutes, can be cancelled/)).toBeInTheDocument();
    expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
    expect(await row("Flaky seek")).toBeInTheDocument();
    // The rows of the list, and with them the 851 that do not read.
    expect(screen.getByText(/^\d of 85\d$/)).toBeInTheDocument();
  });

  test("that was open when the damage was met is read again, so that no list stays empty", async () => {
    const { host } = await open(null);
    await row("Flaky seek");
    const before = asked(host, "session_list").length;
    host.setBoot({ trouble: damaged });
    await waitFor(() => expect(asked(host, "session_list").length).toBeGreaterThan(before));
    expect(await row("Flaky seek")).toBeInTheDocument();
  });

  test("with nothing that reads does not say that there are no sessions", async () => {
    await open({ ...damaged, readable: 0 }, { sessions: [] });
    expect(await screen.findByText("No session can be read")).toBeInTheDocument();
    expect(screen.queryByText("No sessions yet")).toBeNull();
    expect(screen.getByText("0 of 4,812")).toBeInTheDocument();
  });

  test("takes no new session, and says why", async () => {
    const { user } = await open();
    await row("Flaky seek");
    const fresh = screen.getByRole("button", { name: "New session" });
    expect(fresh).toHaveAttribute("aria-disabled", "true");
    expect(fresh).toHaveAccessibleDescription("The store is read only. Nothing new can be saved.");
    expect(within(fresh).getByText("read only")).toBeInTheDocument();
    await user.click(fresh);
    await user.click(screen.getByRole("button", { name: "New session in talaria" }));
    expect(screen.getByRole("main", { name: "The session store is damaged" })).toBeInTheDocument();
    expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
  });

  test("copies path and diagnostics, exports all as Markdown, and says what an export refuses", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Copy path" }));
    expect(await navigator.clipboard.readText()).toBe(damaged.path);
    await user.click(screen.getByRole("button", { name: "Copy diagnostics" }));
    expect(await screen.findByText("Diagnostics copied")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Export what can be read..." }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Export..." }));
    expect(asked(host, "export_start")).toEqual([{ format: "markdown" }]);
    host.refuse.set("export_start", refusal("read_only", "The folder cannot be written."));
    await user.click(screen.getByRole("button", { name: "Export what can be read..." }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Export..." }));
    expect(await screen.findByText("The folder cannot be written.")).toBeInTheDocument();
  });

  test("is read under a banner, with the draft shown but not changed", async () => {
    const { host, user } = await open();
    await user.click(await row("Router"));
    const banner = await screen.findByText(/, read only$/);
    expect(banner).toHaveAttribute("role", "status");
    expect(banner).toHaveTextContent("The session store is damaged, read only");
    const field = screen.getByRole("textbox", { name: "Message" });
    expect(field).toHaveAttribute("readonly");
    expect(screen.getByText("Drafts cannot be saved now: the store is read only.")).toBeInTheDocument();
    await user.type(field, "words");
    expect(asked(host, "draft_set")).toEqual([]);
    // An unread session stays unread: nothing can be saved.
    expect(asked(host, "session_mark")).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Details" }));
    expect(screen.getByRole("main", { name: "The session store is damaged" })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Recover what reads" })).toHaveFocus();
  });

  test("refuses list actions and settings in words, and shows what was", async () => {
    const { host, user } = await open();
    const no = refusal("damaged", "The store is damaged. Nothing was changed.");
    host.refuse.set("session_update", no);
    (await row("Router")).focus();
    await user.keyboard("e");
    expect((await screen.findByText("Archive failed:")).parentElement).toHaveTextContent(no.message);
    expect(await row("Router")).toBeInTheDocument();
    host.refuse.set("settings_update", no);
    await user.click(screen.getByRole("button", { name: "Settings" }));
    await user.click(screen.getByRole("checkbox", { name: "Show empty sessions" }));
    expect((await screen.findByText("Setting not saved:")).parentElement).toHaveTextContent(no.message);
    expect(screen.getByRole("checkbox", { name: "Show empty sessions" })).not.toBeChecked();
  });

  test("never shows the first start", async () => {
    await open(damaged, { sessions: [], boot: { first_start: true }, settings: { setup_done: false } });
    expect(await screen.findByRole("main", { name: "The session store is damaged" })).toBeInTheDocument();
    expect(screen.queryByRole("main", { name: "Set up Talaria" })).toBeNull();
  });
});

describe("a store that cannot be written", () => {
  test.each(["newer", "read_only", "disk_full", "no_locks"])(
    "%s: its words, and another try",
    async (code) => {
      const trouble = troubles[code]!;
      const { host, user } = await open(trouble);
      const main = await screen.findByRole("main", { name: trouble.title });
      expect(main).toHaveTextContent(trouble.message);
      expect(screen.queryByRole("button", { name: "Recover what reads" })).toBeNull();
      host.hold.add("boot_retry");
      const again = screen.getByRole("button", { name: "Try again" });
      await user.click(again);
      await user.click(again);
      expect(asked(host, "boot_retry")).toHaveLength(1);
      expect(again).toHaveAttribute("aria-busy", "true");
    },
  );

  test("that works again gives back the composer with the focus, and asks for everything anew", async () => {
    const { host, user } = await open(troubles["disk_full"]!);
    await row("Flaky seek");
    host.sessions.push(session("c", { title: "Could not be read" }));
    host.boot = { ...host.boot, trouble: null };
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus());
    expect(screen.getByRole("textbox", { name: "Message" })).not.toHaveAttribute("readonly");
    expect(await row("Could not be read")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "New session" })).not.toHaveAttribute("aria-disabled");
  });

  test("keeps what was being written, and saves it when it can", async () => {
    const { host, user } = await open(null);
    await user.click(await row("Router"));
    const field = screen.getByRole("textbox", { name: "Message" });
    host.refuse.set("draft_set", refusal("disk_full", "The disk is full."));
    await user.type(field, "half a thought");
    await screen.findByText(/Draft not saved/);
    host.setBoot({ trouble: troubles["disk_full"]! });
    await waitFor(() => expect(field).toHaveAttribute("readonly"));
    expect(field).toHaveValue("half a thought");
    host.calls = [];
    host.setBoot({ trouble: null });
    await waitFor(() =>
      expect(asked(host, "draft_set")).toEqual([{ session_id: "b", text: "half a thought" }]),
    );
  });
});

describe("Recover what reads", () => {
  const progress = { table: "messages", done: 84_210, total: 211_930 };

  test("asks first, from Cancel, and says what it does, what is kept and how long it takes", async () => {
    const { host, user } = await open();
    const recover = await screen.findByRole("button", { name: "Recover what reads" });
    await user.click(recover);
    const dialog = screen.getByRole("dialog", { name: "Recover what reads?" });
    expect(within(dialog).getByRole("button", { name: "Cancel" })).toHaveFocus();
    expect(dialog).toHaveTextContent(/The damaged file is not changed\..*About 2 minutes for 1\.4 GB\./s);
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    expect(recover).toHaveFocus();
    expect(asked(host, "recovery_start")).toEqual([]);
  });

  test("says table and amount while it runs, and Cancel leaves everything as it was", async () => {
    const { host, user } = await open();
    await user.click(await screen.findByRole("button", { name: "Recover what reads" }));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Recover what reads" }));
    expect(asked(host, "recovery_start")).toHaveLength(1);
    host.send({ type: "recovery_changed", status: { state: "running", progress } });
    const bar = await screen.findByRole("progressbar", { name: "Recovering the store" });
    expect(bar).toHaveAttribute("aria-valuenow", "39");
    expect(screen.getByText("84,210 of about 211,930 rows of messages")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Cancel" })).toHaveFocus();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(asked(host, "recovery_cancel")).toHaveLength(1);
    expect(await screen.findByRole("main", { name: "The session store is damaged" })).toBeInTheDocument();
    await waitFor(() => expect(document.body).not.toHaveFocus());
  });

  test("ends with a report of the rows, the kept file, and the sessions", async () => {
    const { host, user } = await open();
    await row("Flaky seek");
    host.send({ type: "recovery_changed", status: { state: "running", progress } });
    host.recoveryStatus = { state: "done", report: recoveryReport };
    host.send({
      type: "recovery_changed",
      status: { state: "done", report: { ...recoveryReport, tables: [] } },
    });
    host.setBoot({ trouble: null });
    const main = await screen.findByRole("main", { name: "The store is recovered" });
    expect(main).toHaveTextContent("4,790 sessions and 201,404 messages are in the new store.");
    const table = within(main).getByRole("table", { name: "What was recovered" });
    expect(within(table).getByRole("row", { name: "Messages 201,404 10,526" })).toBeInTheDocument();
    await user.click(within(main).getByRole("button", { name: "Copy path" }));
    expect(await navigator.clipboard.readText()).toBe(recoveryReport.kept);
    await user.click(within(main).getByRole("button", { name: "Copy report" }));
    expect(await navigator.clipboard.readText()).toBe(asText(recoveryReport));
    await user.click(within(main).getByRole("button", { name: "Open Talaria" }));
    expect(await row("Flaky seek")).toBeInTheDocument();
    expect(screen.getByRole("textbox", { name: "Message" })).toBeInTheDocument();
    expect(asked(host, "boot_retry")).toEqual([]);
  });

  test("that fails says why, that nothing was changed, and is tried again", async () => {
    const { host, user } = await open();
    await row("Flaky seek");
    host.send({ type: "recovery_changed", status: { state: "running", progress } });
    const error = refusal("disk_full", "The disk is full. Free some space, then try again.", true);
    host.send({ type: "recovery_changed", status: { state: "failed", error } });
    const main = await screen.findByRole("main", { name: "The recovery did not finish" });
    expect(within(main).getByRole("alert")).toHaveTextContent(
      `${error.message} The damaged file was not changed.`,
    );
    await user.click(screen.getByRole("button", { name: "Retry" }));
    expect(asked(host, "recovery_start")).toHaveLength(1);
    expect(await screen.findByRole("progressbar")).toBeInTheDocument();
    host.send({ type: "recovery_changed", status: { state: "failed", error } });
    await user.click(await screen.findByRole("button", { name: "Back" }));
    expect(await screen.findByRole("main", { name: "The session store is damaged" })).toBeInTheDocument();
  });

  test("is offered where nothing could be opened at all, and its end is read before the sessions", async () => {
    const host = new FakeHost({
      sessions: rows(),
      boot: { phase: "failed", failure: damagedFailure(Date.now() + 60_000) },
    });
    render(App, { platform: host });
    const user = userEvent.setup();
    await screen.findByRole("alert", { name: "Could not start" });
    await user.click(screen.getByRole("button", { name: "Recover what reads" }));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Recover what reads" }));
    expect(await screen.findByRole("progressbar", { name: "Recovering the store" })).toBeInTheDocument();
    expect(screen.queryByRole("alert", { name: "Could not start" })).toBeNull();
    host.recoveryStatus = { state: "done", report: recoveryReport };
    host.send({ type: "recovery_changed", status: host.recoveryStatus });
    host.setBoot({ phase: "ready", failure: null });
    expect(await screen.findByRole("main", { name: "The store is recovered" })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Open Talaria" }));
    expect(await row("Flaky seek")).toBeInTheDocument();
  });
});

describe("a start", () => {
  test("after a jump of the clock says what waits, until it is closed", async () => {
    const { user } = await open(null, { boot: { clock_jump_days: 40 } });
    const words = await screen.findByText("The clock moved by 40 days since the last start.");
    expect(words.closest('[role="status"]')).toHaveTextContent(
      "Recently deleted and automatic archiving wait until the next start.",
    );
    await user.click(
      within(words.closest('[role="status"]') as HTMLElement).getByRole("button", { name: "Close" }),
    );
    expect(screen.queryByText(/^The clock moved/)).toBeNull();
  });

  test("without graphics acceleration offers it for the next one", async () => {
    const { host, user } = await open(null, { boot: { safe_graphics: true } });
    await user.click(await screen.findByRole("button", { name: "Turn it on at the next start" }));
    expect(asked(host, "graphics_reset")).toHaveLength(1);
    expect(await screen.findByText("On at the next start")).toBeInTheDocument();
    expect(screen.queryByText(/^Graphics acceleration is off/)).toBeNull();
  });

  test("says what is special about it once, however often the gateway opens", async () => {
    const { host } = await open(null, { boot: { clock_jump_days: 40 } });
    await screen.findByText(/^The clock moved/);
    host.setBoot({ phase: "connecting" });
    host.setBoot({ phase: "ready" });
    await row("Flaky seek");
    expect(screen.getAllByText(/^The clock moved/)).toHaveLength(1);
  });
});
