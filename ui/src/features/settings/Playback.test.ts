import { cleanup, render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import App from "../../App.svelte";
import { FakeHost, refusal, session } from "../../test/fake";

afterEach(cleanup);

async function general(change: (host: FakeHost) => void = () => undefined) {
  const host = new FakeHost({ sessions: [session("a")] });
  change(host);
  render(App, { platform: host });
  const user = userEvent.setup();
  await screen.findByRole("row", { name: /Session a/ });
  await user.click(screen.getByRole("button", { name: "Settings" }));
  return { host, user };
}

test("media playback is automatic, and the page says what is used", async () => {
  await general((host) => (host.mediaWords = "Files are played by Talaria's own plugin. No port is open."));
  const group = screen.getByRole("group", { name: "Media playback" });
  expect(screen.getByRole("radio", { name: "Automatic" })).toBeChecked();
  expect(await screen.findByText(/own plugin. No port is open/)).toBeVisible();
  expect(group).toHaveTextContent("No port is open.");
});

test("another way is stored at once, and the words are asked for again", async () => {
  const { host, user } = await general();
  host.mediaWords = "Files are played over a local port, as chosen.";
  await user.click(screen.getByRole("radio", { name: "Local port only" }));
  expect(await screen.findByText(/over a local port, as chosen/)).toBeVisible();
  expect(host.settings.media_transport).toBe("loopback");
});

test("a host that does not say what is used takes the choice all the same", async () => {
  const { host, user } = await general((host) =>
    host.refuse.set("media_status", refusal("internal", "The request broke off.")),
  );
  await user.click(screen.getByRole("radio", { name: "Plugin only" }));
  expect(host.settings.media_transport).toBe("plugin");
});

test("another system than Linux has no such choice", async () => {
  await general((host) => (host.boot.platform = "macos"));
  expect(screen.queryByRole("group", { name: "Media playback" })).toBeNull();
  expect(screen.getByRole("radio", { name: "Dark" })).toBeVisible();
});
