/**
 * The preview page (`dev.html`, served by Vite only): the real window over the host in memory.
 * Address: `?rows=10000`, `&archived=300`, `&deleted=40`, `&theme=dark`, `&first` (first start),
 * `&import=refused|cancelled|done|failed|running`, `&boot=connecting|failed`, `&connecting`,
 * `&settings=general|model|archived|keyboard|about`, `&search=words`, `&open=n`,
 * `&trouble=damaged|newer|read_only|disk_full|no_locks`, `&recovery=asking|running|done|failed`, `&notices`, `&health`.
 */
import { mount } from "svelte";
import App from "../App.svelte";
import type { Theme } from "../ipc";
import { shell } from "../lib/texts";
import { FakeHost } from "./fake";
import { damagedFailure, healthReport, recoveryReport, troubles } from "./sample-trouble";
import { sampleAway, sampleMessages, sampleProgress, sampleReport, sampleSessions } from "./sample";

const query = new URLSearchParams(location.search);
const first = query.has("first");
const boot = query.get("boot");
const host = new FakeHost({
  sessions: first
    ? []
    : [
        ...sampleSessions(Number(query.get("rows") ?? 400), Date.now()),
        ...sampleAway(Number(query.get("archived") ?? 0), Number(query.get("deleted") ?? 0), Date.now()),
      ],
  settings: { theme: (query.get("theme") ?? "system") as Theme, setup_done: false },
  messages: sampleMessages,
  store:
    query.get("first") === "none"
      ? null
      : {
          path: "/home/ada/.hermes/state.db",
          sessions: 4812,
          messages: 211_930,
          archived: 318,
          bytes: 1_400_000_000,
        },
  boot: {
    first_start: first,
    phase: boot === "connecting" ? "connecting" : boot === null ? "ready" : "failed",
    trouble: troubles[query.get("trouble") ?? ""] ?? null,
    ...(query.has("notices") ? { clock_jump_days: 40, safe_graphics: true } : {}),
    failure:
      boot === "damaged"
        ? damagedFailure(Date.now() + 4_000)
        : boot === "failed"
          ? {
              code: "in_use",
              title: "The store is in use",
              message: "Another Talaria (process 4711) uses this data folder. Close it, then try again.",
              log: [
                "14:02:11  open    ~/.local/share/talaria",
                "14:02:11  lock    /home/ada/.local/share/talaria/owner.lock",
                "14:02:11  error   Another Talaria (process 4711) uses this data folder. Close it, then try again.",
              ],
              retry_at: Date.now() + 4_000,
              recoverable: false,
            }
          : null,
  },
});
host.branches.set("/home/ada/code/talaria", "fix/seek-past-end");
host.health = healthReport(Date.now());
Object.assign(window, { host });

const target = document.getElementById("app");
if (target) mount(App, { target, props: { platform: host, preview: query.has("connecting") } });

async function step(selector: string, act: (element: HTMLElement) => void): Promise<void> {
  for (let i = 0; i < 100; i++) {
    const element = document.querySelector<HTMLElement>(selector);
    if (element) {
      act(element);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const page = query.get("settings");
if (page) {
  // In a narrow window the button is in the closed drawer; the keys work in both.
  await step(".chat", (chat) =>
    chat.dispatchEvent(new KeyboardEvent("keydown", { key: ",", ctrlKey: true, bubbles: true })),
  );
  const index = ["general", "model", "archived", "keyboard", "about"].indexOf(page) + 2;
  await step(`nav button:nth-of-type(${index})`, (button) => button.click());
}
if (query.has("health")) await step("main section button", (button) => button.click());
const recovery = query.get("recovery");
if (recovery === "asking")
  await step("main .buttons button, .failure .buttons button", (button) => button.click());
else if (recovery) {
  await step("main", () => {});
  const progress = { table: "messages", done: 84_210, total: 211_930 };
  host.send({ type: "recovery_changed", status: { state: "running", progress } });
  if (recovery !== "running") {
    host.recoveryStatus =
      recovery === "done"
        ? { state: "done", report: recoveryReport }
        : { state: "failed", error: { code: "disk_full", message: "The disk is full.", retryable: true } };
    host.send({ type: "recovery_changed", status: host.recoveryStatus });
  }
}
const importing = query.get("import");
if (importing === "refused") {
  await step("dl", () =>
    host.refuse.set("import_probe", {
      code: "newer",
      message:
        "/home/ada/old/state.db was written by a newer Hermes (schema 24; Talaria knows 22). Nothing was read. Update Talaria.",
      retryable: false,
    }),
  );
  const named = [...document.querySelectorAll("button")];
  named.find((button) => button.textContent.trim() === shell.otherFile)?.click();
} else if (importing) {
  await step("dl", () => {});
  host.send({ type: "import_changed", status: { state: "running", progress: sampleProgress } });
  host.importStatus =
    importing === "failed"
      ? { state: "failed", error: { code: "disk_full", message: "The disk is full.", retryable: true } }
      : { state: "done", report: sampleReport(importing === "cancelled") };
  if (importing !== "running") host.send({ type: "import_changed", status: host.importStatus });
}
const words = query.get("search");
if (words) {
  await step('input[type="search"]', (field) => {
    (field as HTMLInputElement).value = words;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
const open = query.get("open");
if (open) await step(`[data-session-id="named-${open}"]`, (row) => row.click());
const menu = query.get("menu");
if (menu) await step(`[data-session-id="named-${menu}"] button`, (button) => button.click());
const remove = query.get("archive");
if (remove) {
  for (const n of remove.split(",")) {
    await step(`[data-session-id="named-${n}"]`, (row) =>
      row.dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: true })),
    );
  }
}
if (query.has("drawer")) await step(".chat header button", (button) => button.click());
const confirm = query.get("delete");
if (confirm) {
  await step(`[data-session-id="named-${confirm}"]`, (row) => row.focus());
  await step(`[data-session-id="named-${confirm}"]`, (row) =>
    row.dispatchEvent(new KeyboardEvent("keydown", { key: "Delete", bubbles: true, cancelable: true })),
  );
}
if (query.has("end")) await step("[data-session-id]", () => {});
if (query.has("end")) await step("nav .scroller", (scroller) => (scroller.scrollTop = scroller.scrollHeight));
