import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import App from "../../App.svelte";
import { sampleModel } from "../../dev/fake-live";
import type { ModelServer, ModelStatus } from "../../ipc";
import { isOpenRoad, originOf } from "../../state/model-setup.svelte";
import { FakeHost, refusal, session } from "../../test/fake";

const ollama: ModelServer = {
  name: "Ollama",
  base_url: "http://127.0.0.1:11434/v1",
  models: [
    { id: "hermes-4-14b", context_length: 131_072 },
    { id: "qwen3:8b", context_length: null },
  ],
};

async function open(before: (host: FakeHost) => void = () => undefined) {
  const host = new FakeHost({ sessions: [session("a")] });
  before(host);
  const user = userEvent.setup();
  render(App, { platform: host });
  await user.click(await screen.findByRole("button", { name: "Settings" }));
  await user.click(screen.getByRole("button", { name: "Model" }));
  return { host, user };
}
const connected =
  (change: Partial<ModelStatus> = {}) =>
  (host: FakeHost) => {
    host.live.model = { ...sampleModel, ...change };
  };
const address = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Address" });
const key = () => screen.getByLabelText<HTMLInputElement>("Key");
const model = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Model" });
const asked = (host: FakeHost, name: string) =>
  host.calls.filter((call) => call.name === name).map((call) => call.request);

test("the origin of an address is what a key is bound to", () => {
  expect(originOf(" https://api.example.org/v1 ")).toBe("https://api.example.org");
  expect(originOf("localhost:11434/v1")).toBeNull();
  expect(originOf("ftp://example.org")).toBeNull();
});

test("an address without encryption is an open road, unless it ends on this computer", () => {
  for (const own of [
    "http://localhost:1/v1",
    "http://127.0.0.1/v1",
    "http://[::1]:80",
    "https://example.org",
  ])
    expect(isOpenRoad(own)).toBe(false);
  for (const open of ["http://example.org/v1", "http://192.168.1.4:11434/v1"])
    expect(isOpenRoad(open)).toBe(true);
});

describe("Settings > Model", () => {
  test("has its own search and shows what is connected, never a key", async () => {
    const { user } = await open(connected({ key: "file" }));
    expect(await screen.findByRole("heading", { name: "Connected: hermes-4-70b" })).toBeInTheDocument();
    expect(address()).toHaveValue("http://127.0.0.1:11434/v1");
    expect(key()).toHaveValue("");
    expect(key()).toHaveAttribute("type", "password");
    expect(screen.getByText(/Kept in a file that only you can read/)).toBeInTheDocument();
    await user.type(screen.getByRole("searchbox", { name: "Search model settings..." }), "zeppelin");
    expect(screen.getByText("Nothing on this page matches your search.")).toBeVisible();
  });

  test("a server of this computer is used by one click", async () => {
    const { host, user } = await open();
    host.live.servers = [ollama];
    await user.click(screen.getByRole("button", { name: "Find servers on this computer" }));
    await user.click(await screen.findByRole("button", { name: "Use Ollama, hermes-4-14b" }));
    expect(await screen.findByRole("heading", { name: "Connected: hermes-4-14b" })).toBeInTheDocument();
    expect(host.live.model.settings.choice).toEqual({ base_url: ollama.base_url, model: "hermes-4-14b" });
    expect(screen.getByText("In use")).toBeInTheDocument();
  });

  test("no server found says what to start", async () => {
    const { user } = await open();
    await user.click(screen.getByRole("button", { name: "Find servers on this computer" }));
    expect(await screen.findByText(/No server answers on the usual ports/)).toBeInTheDocument();
  });

  test("a test keeps the typed key first, then says how many models came", async () => {
    const { host, user } = await open();
    host.live.servers = [{ ...ollama, name: "x", base_url: "https://api.example.org/v1" }];
    await user.type(address(), "https://api.example.org/v1");
    await user.type(key(), "sk-secret");
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText("Answered. 2 models found.")).toBeInTheDocument();
    expect(asked(host, "model_key")).toEqual([{ base_url: "https://api.example.org/v1", key: "sk-secret" }]);
    const order = host.calls.map((call) => call.name);
    expect(order.indexOf("model_key")).toBeLessThan(order.indexOf("model_list"));
    expect(key()).toHaveValue("");
  });

  test("a test that fails says the host's words", async () => {
    const { host, user } = await open();
    host.refuse.set("model_list", refusal("blocked", "The server refused the key. Enter it again."));
    await user.type(address(), "https://api.example.org/v1");
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect((await screen.findByText("The server did not list its models.")).parentElement).toHaveTextContent(
      "The server refused the key. Enter it again.",
    );
  });

  test("another address asks for its key again, and the kept one is forgotten by a button", async () => {
    const { host, user } = await open(connected({ key: "keyring" }));
    expect(await screen.findByText("Kept in the keyring of this system.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Forget key" }));
    expect(await screen.findByText("Key forgotten")).toBeInTheDocument();
    expect(asked(host, "model_key")).toEqual([{ base_url: "http://127.0.0.1:11434/v1", key: "" }]);
    expect(screen.getByText(/No key is kept/)).toBeInTheDocument();
    host.live.model = { ...host.live.model, key: "keyring" };
    await user.type(key(), "k");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await user.clear(address());
    await user.type(address(), "https://other.example.org/v1");
    expect(screen.getByText(/The key that is kept is for 127.0.0.1:11434/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Forget key" })).toBeNull();
  });

  test("the model is chosen from the server's list by keys, or written", async () => {
    const { host, user } = await open();
    host.live.servers = [ollama];
    await user.type(address(), ollama.base_url);
    await user.click(model());
    await waitFor(() => expect(screen.getAllByRole("option")).toHaveLength(2));
    await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    expect(model()).toHaveValue("qwen3:8b");
    expect(screen.queryByRole("option")).toBeNull();
    await user.clear(model());
    await user.type(model(), "hermes");
    expect(screen.getAllByRole("option").map((option) => option.textContent?.trim())).toEqual([
      "hermes-4-14b",
    ]);
    await user.keyboard("{Escape}");
    expect(model()).toHaveValue("hermes");
    expect(screen.getByText(/It is asked for as written/)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Back to sessions" })).toBeInTheDocument();
  });

  test("numbers are kept as numbers, and what is none is said", async () => {
    const { host, user } = await open(connected());
    await screen.findByRole("heading", { name: /^Connected/ });
    const context = screen.getByRole("textbox", { name: "Context length" });
    await user.type(context, "8k");
    expect(screen.getByText("A whole number of tokens")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Save" })).toHaveAttribute("aria-disabled", "true");
    await user.clear(context);
    await user.type(context, "131,072");
    await user.type(screen.getByRole("textbox", { name: "Price of a million tokens in" }), "0,6");
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Saved")).toBeInTheDocument();
    expect(asked(host, "model_set").at(-1)).toEqual({
      ...sampleModel.settings,
      context_length: 131_072,
      input_price: 0.6,
    });
  });

  test("a refused save is said in its place, and Disconnect leaves no model", async () => {
    const { host, user } = await open(connected());
    await screen.findByRole("heading", { name: /^Connected/ });
    host.refuse.set("model_set", refusal("disk_full", "The disk is full."));
    await user.click(screen.getByRole("button", { name: "Disconnect" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.");
    await user.click(screen.getByRole("button", { name: "Disconnect" }));
    expect(await screen.findByRole("heading", { name: "Connect a model" })).toBeInTheDocument();
    expect(host.live.model.settings.choice).toBeNull();
    expect(address()).toHaveValue("");
  });
});

describe("an empty draft without a model", () => {
  test("says what can be done now and offers the servers of this computer", async () => {
    const host = new FakeHost({ sessions: [session("a")] });
    host.live.servers = [ollama];
    const user = userEvent.setup();
    render(App, { platform: host });
    const now = within(await screen.findByRole("region", { name: "No model is connected yet" }));
    expect(now.getByText("!ls")).toBeInTheDocument();
    await user.click(now.getByRole("button", { name: "Import..." }));
    expect(screen.getByRole("heading", { name: "General" })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Back to sessions" }));
    await user.click(await screen.findByRole("button", { name: "Use Ollama, hermes-4-14b" }));
    await waitFor(() =>
      expect(screen.queryByRole("region", { name: "No model is connected yet" })).toBeNull(),
    );
    expect(host.live.model.settings.choice?.model).toBe("hermes-4-14b");
  });
});

describe("the model of one session", () => {
  test("is picked at the composer and given back, and the settings are one entry away", async () => {
    const host = new FakeHost({ sessions: [session("a")] });
    host.live.model = sampleModel;
    host.live.servers = [{ ...ollama, models: [{ id: "qwen3:8b", context_length: null }] }];
    const user = userEvent.setup();
    render(App, { platform: host });
    await user.click(await screen.findByRole("row", { name: /^Session a,/ }));
    await user.click(await screen.findByRole("button", { name: /hermes-4-70b/ }));
    await user.click(await screen.findByRole("menuitemradio", { name: "qwen3:8b" }));
    await user.click(await screen.findByRole("button", { name: /qwen3:8b/ }));
    expect(asked(host, "session_model")).toEqual([
      { live_id: "live-1", model: { base_url: ollama.base_url, model: "qwen3:8b" } },
    ]);
    await user.click(await screen.findByRole("menuitem", { name: "Use the default (hermes-4-70b)" }));
    await user.click(await screen.findByRole("button", { name: /hermes-4-70b/ }));
    expect(asked(host, "session_model").at(-1)).toEqual({ live_id: "live-1" });
    await user.click(screen.getByRole("menuitem", { name: "Settings..." }));
    expect(await screen.findByRole("heading", { name: "Connected: hermes-4-70b" })).toBeInTheDocument();
  });
});
