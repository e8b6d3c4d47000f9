/**
 * A tooltip for what the pointer rests on or the keyboard reaches: shown after 500 ms, gone at once.
 * It is drawn for sighted people only; the element's own name says the same words to everybody else.
 */
const DELAY_MS = 500;
const GAP = 6;
const EDGE = 8;

export function tooltip(text: (node: HTMLElement) => string | undefined): (node: HTMLElement) => () => void {
  return (node) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shown: HTMLElement | undefined;

    const hide = () => {
      clearTimeout(timer);
      shown?.remove();
      shown = undefined;
    };
    const show = () => {
      const words = text(node);
      if (!words || !node.isConnected) return;
      // What lies beneath a menu or a question is not what the user looks at.
      const above = document.querySelector('[role="menu"], dialog[open]');
      if (above && !above.contains(node)) return;
      shown = document.createElement("div");
      shown.className = "tooltip";
      shown.dir = "auto";
      shown.setAttribute("aria-hidden", "true");
      shown.textContent = words;
      document.body.append(shown);
      const at = node.getBoundingClientRect();
      const own = shown.getBoundingClientRect();
      const below = at.bottom + GAP + own.height + EDGE <= window.innerHeight;
      const left = Math.min(at.left + at.width / 2 - own.width / 2, window.innerWidth - own.width - EDGE);
      shown.style.left = `${Math.max(EDGE, left)}px`;
      shown.style.top = `${below ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - own.height)}px`;
    };
    const arm = () => {
      hide();
      timer = setTimeout(show, DELAY_MS);
    };
    const armByKeyboard = () => {
      if (node.matches(":focus-visible")) arm();
    };

    node.addEventListener("pointerenter", arm);
    node.addEventListener("pointerleave", hide);
    node.addEventListener("pointerdown", hide);
    node.addEventListener("focus", armByKeyboard);
    node.addEventListener("blur", hide);
    node.addEventListener("keydown", hide);
    return () => {
      hide();
      node.removeEventListener("pointerenter", arm);
      node.removeEventListener("pointerleave", hide);
      node.removeEventListener("pointerdown", hide);
      node.removeEventListener("focus", armByKeyboard);
      node.removeEventListener("blur", hide);
      node.removeEventListener("keydown", hide);
    };
  };
}

/** For `tooltip`: the whole text of something that is cut, and nothing when it fits. */
export function wholeText(node: HTMLElement): string | undefined {
  return node.scrollWidth > node.clientWidth ? (node.textContent ?? undefined) : undefined;
}
