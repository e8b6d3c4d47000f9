import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { sampleModel } from "../../dev/fake-live";
import type { ModelChoice } from "../../ipc";
import { ModelState } from "../../state/model.svelte";
import { FakeHost, refusal } from "../../test/fake";
import ModelMenu from "./ModelMenu.svelte";

const base_url = "http://127.0.0.1:11434/v1";

function open(current: ModelChoice | null, before: (host: FakeHost) => void = () => undefined) {
  const host = new FakeHost();
  host.live.model = sampleModel;
  host.live.servers = [
    {
      name: "Ollama",
      base_url,
      models: [
        { id: "hermes-4-70b", context_length: null },
        { id: "qwen3:8b", context_length: null },
      ],
    },
  ];
  before(host);
  const model = new ModelState(host);
  model.adopt(sampleModel);
  const [onChoose, onSettings, onClose] = [vi.fn(), vi.fn(), vi.fn()];
  render(ModelMenu, { platform: host, model, current, place: { x: 0, y: 0 }, onChoose, onSettings, onClose });
  return { host, user: userEvent.setup(), onChoose, onSettings };
}

test("the models of the server are offered, with the one in use ticked", async () => {
  const { user, onChoose } = open(null);
  expect(await screen.findByRole("menuitemradio", { name: "qwen3:8b" })).toBeInTheDocument();
  expect(screen.getByRole("menuitemradio", { name: "hermes-4-70b" })).toHaveAttribute("aria-checked", "true");
  expect(screen.queryByRole("menuitem", { name: /default/ })).toBeNull();
  await user.click(screen.getByRole("menuitemradio", { name: "qwen3:8b" }));
  expect(onChoose).toHaveBeenCalledWith({ base_url, model: "qwen3:8b" });
});

test("a session with a choice of its own can have the default again", async () => {
  const { user, onChoose } = open({ base_url, model: "qwen3:8b" });
  await user.click(await screen.findByRole("menuitem", { name: "Use the default (hermes-4-70b)" }));
  expect(onChoose).toHaveBeenCalledWith(null);
});

test("a server that does not list its models says why, and the settings are still there", async () => {
  const { user, onSettings } = open(null, (host) =>
    host.refuse.set("model_list", refusal("missing", "Nothing answers at 127.0.0.1:11434.")),
  );
  const entry = await screen.findByRole("menuitem", { name: "The server did not list its models" });
  expect(entry).toHaveAttribute("aria-disabled", "true");
  await user.click(screen.getByRole("menuitem", { name: "Settings..." }));
  expect(onSettings).toHaveBeenCalled();
});
