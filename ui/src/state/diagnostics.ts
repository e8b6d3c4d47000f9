/** A way out of trouble that repairs nothing: tell somebody what is wrong. */
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
