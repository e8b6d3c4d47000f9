/**
 * The connection to a model while it is typed in: what stands in the fields, what the server says to it, which servers
 * this computer has. Settings > Model, the first start and an empty draft each have one of their own; what is kept is in
 * `ModelState`. A typed key goes to the host and is never read back.
 */
import type { IpcError, ModelInfo, ModelServer, ModelSettings, ModelStatus } from "../ipc";
import { amountOf, wholeOf } from "../lib/amounts";
import { toIpcError, type Platform } from "../platform";
import type { ModelState } from "./model.svelte";

/** What the server said to a test. */
export type Tested = { ok: true; models: number } | { ok: false; error: IpcError };

/** Whose key is kept for the address in the field. */
export type KeyNote = "keyring" | "file" | "none" | "other" | "kept";

/** The origin that a key is bound to; null: no address that can be asked. */
export function originOf(address: string): string | null {
  try {
    const url = new URL(address.trim());
    return /^https?:$/.test(url.protocol) ? url.origin : null;
  } catch {
    return null;
  }
}

/** What is sent there can be read on the way. */
export function isOpenRoad(address: string): boolean {
  if (originOf(address) === null) return false;
  const { protocol, hostname } = new URL(address.trim());
  return protocol === "http:" && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export class ModelSetup {
  address = $state("");
  /** Only while it is typed. */
  key = $state("");
  model = $state("");
  context = $state("");
  inputPrice = $state("");
  outputPrice = $state("");
  costLimit = $state("");
  /** What the server of `#listed` has; null: not asked. */
  models = $state.raw<readonly ModelInfo[] | null>(null);
  reading = $state(false);
  tested = $state.raw<Tested | null>(null);
  testing = $state(false);
  servers = $state.raw<readonly ModelServer[] | null>(null);
  finding = $state(false);
  findError = $state.raw<IpcError | null>(null);
  saving = $state(false);
  saveError = $state.raw<IpcError | null>(null);
  /** The origin that this form has given a key for. */
  #keptFor = $state<string | null>(null);
  #listed = "";
  #asked = 0;
  #platform: Platform;
  #state: ModelState;

  constructor(platform: Platform, state: ModelState) {
    this.#platform = platform;
    this.#state = state;
  }

  get status(): ModelStatus | null {
    return this.#state.status;
  }

  /** The fields as they are kept. */
  fill(status: ModelStatus | null = this.status): void {
    if (status === null) return;
    const { choice, context_length, input_price, output_price, cost_limit } = status.settings;
    const text = (n: number | null) => (n === null ? "" : String(n));
    this.address = choice?.base_url ?? "";
    this.model = choice?.model ?? "";
    this.context = text(context_length);
    this.inputPrice = text(input_price);
    this.outputPrice = text(output_price);
    this.costLimit = text(cost_limit);
    this.key = "";
  }

  /** Asks for what is kept when nobody has yet, then fills the fields. */
  async begin(): Promise<void> {
    if (this.status === null) await this.#state.read();
    this.fill();
  }

  get addressWrong(): boolean {
    return this.address.trim() !== "" && originOf(this.address) === null;
  }

  get wrong(): { context: boolean; inputPrice: boolean; outputPrice: boolean; costLimit: boolean } {
    return {
      context: wholeOf(this.context) === undefined,
      inputPrice: amountOf(this.inputPrice) === undefined,
      outputPrice: amountOf(this.outputPrice) === undefined,
      costLimit: amountOf(this.costLimit) === undefined,
    };
  }

  /** The settings that the fields mean; null while a number is none. */
  get wanted(): ModelSettings | null {
    if (Object.values(this.wrong).some(Boolean) || this.addressWrong) return null;
    const base_url = this.address.trim();
    const model = this.model.trim();
    return {
      choice: base_url === "" || model === "" ? null : { base_url, model },
      context_length: wholeOf(this.context) ?? null,
      input_price: amountOf(this.inputPrice) ?? null,
      output_price: amountOf(this.outputPrice) ?? null,
      cost_limit: amountOf(this.costLimit) ?? null,
    };
  }

  /** Only one of address and model is there. */
  get half(): boolean {
    return (this.address.trim() === "") !== (this.model.trim() === "");
  }

  get changed(): boolean {
    if (this.key !== "") return true;
    const wanted = this.wanted;
    return wanted === null || JSON.stringify(wanted) !== JSON.stringify(ordered(this.status?.settings));
  }

  /** Whose key is kept, for the words under the field. */
  get keyNote(): KeyNote {
    const here = originOf(this.address);
    const saved = this.savedOrigin;
    const kept = this.status?.key ?? "none";
    if (here !== null && here === saved && kept !== "none") return kept;
    if (here !== null && here === this.#keptFor) return "kept";
    return here !== null && saved !== null && here !== saved && kept !== "none" ? "other" : "none";
  }

  /** The origin of the endpoint that is in use. */
  get savedOrigin(): string | null {
    return originOf(this.status?.settings.choice?.base_url ?? "");
  }

  setAddress(address: string): void {
    this.address = address;
    this.tested = null;
    if (address.trim() !== this.#listed) this.models = null;
  }

  /** The models of the typed address, for the list under the field. A server that does not say leaves it empty. */
  async list(): Promise<void> {
    const address = this.address.trim();
    if (this.reading || this.testing || this.models !== null || originOf(address) === null) return;
    this.reading = true;
    try {
      const { models } = await this.#platform.call("model_list", { base_url: address });
      this.#took(address, models);
    } catch {
      // "Test" says what is wrong; a name can be written without a list.
    } finally {
      this.reading = false;
    }
  }

  /** Asks the server for its models, with the key that was typed. */
  async test(): Promise<void> {
    const address = this.address.trim();
    if (this.testing || originOf(address) === null) return;
    const mine = ++this.#asked;
    this.testing = true;
    this.tested = null;
    try {
      await this.#keepKey(address);
      const { models } = await this.#platform.call("model_list", { base_url: address });
      if (mine !== this.#asked || this.address.trim() !== address) return;
      this.#took(address, models);
      this.tested = { ok: true, models: models.length };
      if (this.model.trim() === "" && models.length === 1) this.model = models[0]?.id ?? "";
    } catch (error) {
      if (mine === this.#asked && this.address.trim() === address)
        this.tested = { ok: false, error: toIpcError(error) };
    } finally {
      this.testing = false;
    }
  }

  /** Looks for servers on the usual ports of this computer. */
  async find(): Promise<void> {
    if (this.finding) return;
    this.finding = true;
    this.findError = null;
    try {
      this.servers = (await this.#platform.call("model_find", {})).servers;
    } catch (error) {
      this.findError = toIpcError(error);
    } finally {
      this.finding = false;
    }
  }

  /** One click: this server with this model. Limits and prices of another server do not hold for it. */
  async use(server: ModelServer, model: string): Promise<boolean> {
    if (originOf(server.base_url) !== this.savedOrigin) {
      this.context = this.inputPrice = this.outputPrice = this.costLimit = "";
    }
    this.key = "";
    this.setAddress(server.base_url);
    this.model = model;
    this.#took(server.base_url, server.models);
    return this.save();
  }

  /** Whether it was kept; why not is in `saveError`. */
  async save(): Promise<boolean> {
    const wanted = this.wanted;
    if (wanted === null || this.saving) return false;
    return this.#change(async () => {
      // First: the endpoint that is asked next has its key by then.
      await this.#keepKey(this.address.trim());
      return this.#platform.call("model_set", wanted);
    });
  }

  /** No model is connected from now on; its key stays for when it comes back. */
  async disconnect(): Promise<boolean> {
    const settings = this.status?.settings;
    if (settings === undefined || this.saving) return false;
    const done = await this.#change(() => this.#platform.call("model_set", { ...settings, choice: null }));
    if (done) this.fill();
    return done;
  }

  /** Rejects with an `IpcError`. */
  async forgetKey(): Promise<void> {
    const address = this.address.trim();
    this.#state.adopt(await this.#platform.call("model_key", { base_url: address, key: "" }));
    if (this.#keptFor === originOf(address)) this.#keptFor = null;
  }

  async #change(run: () => Promise<ModelStatus>): Promise<boolean> {
    this.saving = true;
    this.saveError = null;
    try {
      this.#state.adopt(await run());
      return true;
    } catch (error) {
      this.saveError = toIpcError(error);
      return false;
    } finally {
      this.saving = false;
    }
  }

  async #keepKey(address: string): Promise<void> {
    if (this.key === "" || originOf(address) === null) return;
    this.#state.adopt(await this.#platform.call("model_key", { base_url: address, key: this.key }));
    this.#keptFor = originOf(address);
    this.key = "";
  }

  #took(address: string, models: readonly ModelInfo[]): void {
    this.#listed = address;
    this.models = models;
  }
}

/** With its fields in one order, to be compared. */
function ordered(settings: ModelSettings | undefined): ModelSettings {
  const choice = settings?.choice ?? null;
  return {
    choice: choice === null ? null : { base_url: choice.base_url, model: choice.model },
    context_length: settings?.context_length ?? null,
    input_price: settings?.input_price ?? null,
    output_price: settings?.output_price ?? null,
    cost_limit: settings?.cost_limit ?? null,
  };
}
