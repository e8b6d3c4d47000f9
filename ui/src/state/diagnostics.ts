/** A way out of trouble that repairs nothing: tell somebody what is wrong. */
import { copyWhenReady } from "../lib/clipboard";
import { shell, trouble as texts } from "../lib/texts";
import { toIpcError } from "../platform";
import type { App } from "./app.svelte";

/** Puts what the host knows of itself on the clipboard; the host leaves out what is nobody's business. */
export async function copyDiagnostics(app: App): Promise<void> {
  const text = app.platform.call("diagnostics_get", {}).then((answer) => answer.text);
  try {
    if (await copyWhenReady(text)) app.toast({ kind: "done", title: texts.diagnosticsCopied, detail: "" });
    else app.toast({ kind: "failed", title: shell.copyFailed, detail: shell.copyFailedHint });
  } catch (error) {
    const retry = () => void copyDiagnostics(app);
    app.toast({ kind: "failed", title: texts.diagnosticsFailed, detail: toIpcError(error).message, retry });
  }
}
