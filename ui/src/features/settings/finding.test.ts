import { cleanup, render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test } from "vitest";
import App from "../../App.svelte";
import { FakeHost, refusal, session } from "../../test/fake";
import { healthReport } from "../../test/sample-trouble";
import { holds } from "./finding";

afterEach(cleanup);

async function settings(page: string) {
  const host = new FakeHost({ sessions: [session("a")] });
  render(App, { platform: host });
  const user = userEvent.setup();
  await screen.findByRole("row", { name: /Session a/ });
  await user.click(screen.getByRole("button", { name: "Settings" }));
  await user.click(screen.getByRole("button", { name: page }));
  return { host, user };
}

test("a line is found by all of its words, in any order and case", () => {
  expect(holds("Show empty sessions", "SESSIONS  empty")).toBe(true);
  expect(holds("Show empty sessions", "empty folders")).toBe(false);
  expect(holds("anything", "  ")).toBe(true);
});

describe("the search of a page of the settings", () => {
  test("leaves the lines that match, and the line is found by its heading too", async () => {
    const { user } = await settings("General");
    const field = screen.getByRole("searchbox", { name: "Search general settings..." });
    await user.type(field, "empty");
    expect(screen.getByRole("checkbox", { name: "Show empty sessions" })).toBeVisible();
    expect(screen.queryByRole("checkbox", { name: "Group sessions by workspace" })).toBeNull();
    expect(screen.queryByRole("radio", { name: "Dark" })).toBeNull();
    await user.clear(field);
    await user.type(field, "session list");
    expect(screen.getByRole("checkbox", { name: "Group sessions by workspace" })).toBeVisible();
  });

  test("says when nothing matches, and the next page is whole", async () => {
    const { user } = await settings("Keyboard");
    const field = screen.getByRole("searchbox", { name: "Search shortcuts..." });
    await user.type(field, "zeppelin");
    expect(screen.getByText("Nothing on this page matches your search.")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "About" }));
    expect(screen.getByRole("searchbox", { name: "Search versions and folders..." })).toHaveValue("");
    expect(screen.getByText("Talaria 0.1.0")).toBeVisible();
  });
});

describe("About", () => {
  test("tells versions, folder, sizes and facts, and copies the diagnostics", async () => {
    const { host, user } = await settings("About");
    expect(await screen.findByText("12.3 MB, of it 11 MB sessions and search")).toBeInTheDocument();
    expect(screen.getByText("WebKitGTK 2.50")).toBeInTheDocument();
    expect(screen.getByText("~/.local/share/talaria")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Copy path" }));
    expect(await navigator.clipboard.readText()).toBe(host.boot.home);
    await user.click(screen.getByRole("button", { name: "Copy diagnostics" }));
    expect(await screen.findByText("Diagnostics copied")).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toBe("Talaria 0.1.0");
  });

  test("says when the diagnostics cannot be had, and nothing is copied", async () => {
    const { host, user } = await settings("About");
    host.refuse.set("diagnostics_get", refusal("internal", "The log does not read."));
    await user.click(screen.getByRole("button", { name: "Copy diagnostics" }));
    expect((await screen.findByText("Diagnostics not copied:")).parentElement).toHaveTextContent(
      "The log does not read.",
    );
  });

  test("checks the store, says each finding in words, and keeps the focus on its button", async () => {
    const { host, user } = await settings("About");
    host.health = healthReport(Date.UTC(2026, 11, 1, 12));
    host.hold.add("health_check");
    await user.click(screen.getByRole("button", { name: "Check the store" }));
    const cancel = await screen.findByRole("button", { name: "Cancel" });
    expect(cancel).toHaveFocus();
    expect(screen.getByRole("progressbar", { name: "Checking the store..." })).toBeInTheDocument();
    await user.click(cancel);
    expect(host.calls.some((call) => call.name === "health_cancel")).toBe(true);
    host.release("health_check");
    const items = (await screen.findAllByRole("listitem")).map((item) =>
      item.textContent?.replace(/\s+/g, " ").trim(),
    );
    expect(items).toEqual([
      "File good Every page reads.",
      "Counts repaired 2 counts were wrong and were counted anew.",
      "Search not good The index cannot be rebuilt: the disk is full.",
    ]);
    expect(screen.getByText(/^Last checked 1 December 2026/)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Check the store" })).toHaveFocus();
  });

  test("a check that is cancelled says that it looked at a part only", async () => {
    const { host, user } = await settings("About");
    host.health = { ...healthReport(Date.now()), cancelled: true };
    await user.click(screen.getByRole("button", { name: "Check the store" }));
    expect(await screen.findByText(/^The check was cancelled/)).toBeInTheDocument();
  });
});
