/** Copies text on a user's click. Resolves to whether it worked; it never throws. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/**
 * Copies a text that is still on its way. The clipboard is asked within the click: a web view forgets the click while it
 * waits for the text, and then refuses (WebKitGTK, seen).
 */
export async function copyWhenReady(text: Promise<string>): Promise<boolean> {
  let copied = false;
  try {
    const blob = text.then((ready) => new Blob([ready], { type: "text/plain" }));
    // A text that never comes is said by `text` itself, below.
    blob.catch(() => {});
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    copied = true;
  } catch {
    // It may still take a text that is there.
  }
  const ready = await text;
  return copied || copyText(ready);
}

/** For web views that refuse the clipboard interface but copy a selection (older WebKitGTK). */
function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("aria-hidden", "true");
  field.style.cssText = "position:fixed;inset-block-start:0;opacity:0";
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  }
}
