/** Words of the model: Settings > Model, the first start, the picker of a session, a draft without one. */
import { counted } from "./counted";

export const modelTexts = {
  title: "Model",
  find: "Search model settings...",
  connect: "Connect a model",
  connectHint: "Any server with an OpenAI-style address works, also one on this computer.",
  connectButton: "Connect",
  connected: (model: string) => `Connected: ${model}`,

  server: "Server",
  address: "Address",
  addressHint: "Mostly ends in /v1.",
  addressWrong: "An address begins with http:// or https://",
  addressOpen: "This address is not encrypted: others on the way can read the key and what you write.",
  key: "Key",
  keyInKeyring: "Kept in the keyring of this system.",
  keyInFile: "Kept in a file that only you can read, in the data folder: this system has no keyring.",
  keyNone: "No key is kept. Servers on this computer mostly need none.",
  keyOfOther: (host: string) =>
    `The key that is kept is for ${host} and is not sent here. Enter the key again.`,
  keyAnew: "Kept. A new one takes its place",
  showKey: "Show the key",
  hideKey: "Hide the key",
  forgetKey: "Forget key",
  keyForgotten: "Key forgotten",
  keyNotForgotten: "Key not forgotten",
  model: "Model",
  modelHint: "Choose one that the server has, or write its name.",
  noneFits: "The server has no model of this name. It is asked for as written.",
  readingModels: "Reading models...",
  save: "Save",
  saved: "Saved",
  notSaved: "Not saved",
  disconnect: "Disconnect",
  missingAddress: "Enter an address.",
  missing: "Enter an address and a model.",
  unchanged: "Nothing was changed.",
  wrongNumbers: "A number on this page is not one.",

  test: "Test",
  testing: "Asking the server...",
  answered: (n: string) => `Answered. ${counted(n, "model", "models")} found.`,
  answeredEmpty: "Answered, but it has no model yet. Load one in the server, then test again.",
  testFailed: "The server did not list its models",

  findServers: "Find servers on this computer",
  finding: "Looking for servers on this computer...",
  found: "Servers on this computer",
  foundNone:
    "No server answers on the usual ports of Ollama, LM Studio and llama.cpp. Start one, then look again.",
  findFailed: "The search for servers did not finish",
  models: (n: string) => counted(n, "model", "models"),
  use: "Use",
  useServer: (name: string, model: string | null) =>
    model === null ? `Use ${name}` : `Use ${name}, ${model}`,
  used: "In use",

  limits: "Context and cost",
  context: "Context length",
  contextHint: "Tokens. Empty: as the server says.",
  contextWrong: "A whole number of tokens",
  inputPrice: "Price of a million tokens in",
  outputPrice: "Price of a million tokens out",
  priceHint: "Empty: costs are not counted.",
  costLimit: "Cost limit of a session",
  costLimitHint: "A session stops when it has cost this much. Empty: no limit. It needs both prices.",
  amountWrong: "A number, as 0.60",

  menu: "Model of this session",
  useDefault: (model: string | null) => (model === null ? "Use the default" : `Use the default (${model})`),
  menuSettings: "Settings...",
  menuFailed: "The server did not list its models",

  nowTitle: "No model is connected yet",
  nowHint: "You can read everything, and drafts are kept. To begin:",
  nowSettings: "Model settings",
  nowImport: "Bring your sessions from Hermes",
  nowImportHint: "They can be read and searched without a model.",
  nowImportButton: "Import...",
  nowCommand: "Run a command",
  nowCommandBefore: "Write ",
  nowCommandAfter: " below: a line that begins with an exclamation mark runs on this computer.",
} as const;

export const windowTexts = {
  openMain: "Open the main window",
  rowClick: (key: string) => `${key}-click on a session`,
  rowClickHint: "The other of the two is in the menu of each session.",
  quitTitle: "Quit while work runs?",
  quitHint: (titles: readonly string[], more: number) => {
    const names = titles.map((title) => `“${title}”`).join(", ");
    const rest = more === 0 ? "" : ` and ${more} more`;
    const one = titles.length + more === 1;
    if (titles.length === 0) return "Work that runs is stopped. What came so far is kept.";
    return `${names}${rest} ${one ? "is" : "are"} at work. It is stopped; what came so far is kept.`;
  },
  quit: "Stop and quit",
  quitFailed: "Not ended",
} as const;
