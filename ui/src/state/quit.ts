/** The question before the last window closes while work runs. The host holds the window until it is answered. */
import { windowTexts as texts } from "../lib/texts";
import { toIpcError } from "../platform";
import type { App } from "./app.svelte";

/** So many names say enough. */
const MOST_NAMES = 3;

export async function askQuit(app: App): Promise<void> {
  let titles: readonly string[];
  try {
    titles = (await app.platform.call("running_list", {})).sessions;
  } catch {
    // Who asked to quit is asked back all the same.
    titles = [];
  }
  const shown = titles.slice(0, MOST_NAMES);
  app.question = {
    title: texts.quitTitle,
    detail: texts.quitHint(shown, titles.length - shown.length),
    confirm: texts.quit,
    run: () => void quit(app),
  };
}

async function quit(app: App): Promise<void> {
  try {
    await app.platform.call("app_quit", {});
  } catch (error) {
    app.toast({ kind: "failed", title: texts.quitFailed, detail: toIpcError(error).message });
  }
}
