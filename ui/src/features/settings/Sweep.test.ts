import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import App from "../../App.svelte";
import type { SettingsPatch } from "../../ipc";
import { FakeHost, refusal, session } from "../../test/fake";
import { daysOf, needsPreview } from "./sweep";

async function open(archive_after_days = 0, before: (host: FakeHost) => void = () => {}) {
  const host = new FakeHost({
    sessions: [session("a"), session("b", { title: "Old one" })],
    settings: { archive_after_days },
  });
  before(host);
  const user = userEvent.setup();
  render(App, { platform: host });
  await user.click(await screen.findByRole("button", { name: "Settings" }));
  return { host, user };
}
const box = () => screen.getByRole("checkbox", { name: "Archive sessions without activity" });
const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Days without activity" });
const kept = (host: FakeHost) =>
  host.calls
    .filter((call) => call.name === "settings_update")
    .map((call) => (call.request as SettingsPatch).archive_after_days);

describe("the automatic archive", () => {
  test("shows what it would take before it is turned on", async () => {
    const { host, user } = await open(0, (fake) => {
      fake.sweep = { archives: 12, sample: [session("b", { title: "Old one" })], kept: 3, restorable: 0 };
    });
    expect(box()).not.toBeChecked();
    expect(field()).toBeDisabled();
    await user.click(box());
    expect(await screen.findByText("12 sessions would be archived now")).toBeInTheDocument();
    expect(screen.getByText("Old one")).toBeInTheDocument();
    expect(screen.getByText("and 11 more")).toBeInTheDocument();
    expect(
      screen.getByText("3 stay: pinned, unread, with a draft, open, or brought back before"),
    ).toBeInTheDocument();
    expect(kept(host)).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Archive 12 now and keep doing so" }));
    await waitFor(() => expect(kept(host)).toEqual([30]));
    expect(box()).toBeChecked();
  });

  test("Cancel leaves it off", async () => {
    const { host, user } = await open();
    await user.click(box());
    expect(await screen.findByText("No session would be archived now")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(box()).not.toBeChecked();
    expect(kept(host)).toEqual([]);
  });

  test("a shorter limit is looked at first, and turning it off asks nothing", async () => {
    const { host, user } = await open(30, (fake) => {
      fake.sweep = { archives: 1, sample: [], kept: 1, restorable: 0 };
    });
    expect(field()).toHaveValue("30");
    await user.clear(field());
    await user.type(field(), "7");
    expect(await screen.findByText("1 session would be archived now")).toBeInTheDocument();
    expect(
      screen.getByText("1 stays: pinned, unread, with a draft, open, or brought back before"),
    ).toBeInTheDocument();
    expect(kept(host)).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Archive 1 now and keep doing so" }));
    await waitFor(() => expect(kept(host)).toEqual([7]));
    await user.click(box());
    await waitFor(() => expect(kept(host)).toEqual([7, 0]));
  });

  test("a longer limit is kept at once and offers back what the shorter one took", async () => {
    const { host, user } = await open(7, (fake) => {
      fake.sweep = { archives: 0, sample: [], kept: 0, restorable: 8 };
    });
    await user.clear(field());
    await user.type(field(), "90");
    await waitFor(() => expect(kept(host)).toEqual([90]));
    await user.click(
      await screen.findByRole("button", { name: "Restore 8 that were archived by the shorter limit" }),
    );
    await waitFor(() =>
      expect(host.calls.find((call) => call.name === "session_bulk")?.request).toEqual({
        target: { kind: "swept", days: 90 },
        action: "unarchive",
      }),
    );
  });

  test("says when the preview cannot be made, and keeps nothing", async () => {
    const { host, user } = await open(0, (fake) => {
      fake.refuse.set("sweep_preview", refusal("busy", "The store is busy.", true));
    });
    await user.click(box());
    expect(await screen.findByText("The preview could not be made")).toBeInTheDocument();
    expect(screen.getByText(/The store is busy/)).toBeInTheDocument();
    expect(kept(host)).toEqual([]);
  });

  test("takes whole numbers of days only", () => {
    expect(["30", " 7 ", "3650"].map(daysOf)).toEqual([30, 7, 3650]);
    expect(["", "0", "-1", "1.5", "3651", "ten", "1e3"].map(daysOf)).toEqual(Array(7).fill(null));
    expect([needsPreview(0, 30), needsPreview(30, 7), needsPreview(30, 30), needsPreview(7, 30)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
