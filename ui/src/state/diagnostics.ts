/** Two ways out of trouble that repair nothing: tell somebody what is wrong, and take the sessions along. */
import { trouble as texts } from "../lib/texts";
import { toIpcError } from "../platform";
import type { App } from "./app.svelte";

/** Puts what the host knows of itself on the clipboard; the host leaves out what is nobody's business. */
export async function copyDiagnostics(app: App): Promise<void> {
  let text: string;
  try {
    ({ text } = await app.platform.call("diagnostics_get", {}));
  } catch (error) {
    const retry = () => void copyDiagnostics(app);
    app.toast({ kind: "failed", title: texts.diagnosticsFailed, detail: toIpcError(error).message, retry });
    return;
  }
  await app.actions.copy(text, texts.diagnosticsCopied);
}

/** Every session that reads, as Markdown, into a folder that the host asks for. */
export async function exportReadable(app: App): Promise<void> {
  try {
    const status = await app.platform.call("export_start", { format: "markdown" });
    if (status.state === "failed") throw status.error;
  } catch (error) {
    const { code, message, retryable } = toIpcError(error);
    if (code === "cancelled") return;
    const retry = retryable ? () => void exportReadable(app) : null;
    app.toast({ kind: "failed", title: texts.exportFailed, detail: message, retry });
  }
}
