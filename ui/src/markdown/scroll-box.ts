/**
 * Marks a box while its content is larger than itself: only then it is a tab stop, and only then the styles treat it
 * as something that scrolls. A box in a row at rest does not scroll (`code.css`), so that the whole transcript
 * stays one tab stop and nothing scrolls that the keyboard cannot reach.
 */
export function scrollBox(axis: "sideways" | "down"): (node: HTMLElement) => () => void {
  return (node) => watchBox(node, axis);
}

function watchBox(node: HTMLElement, axis: "sideways" | "down"): () => void {
  const judge = () => {
    const over =
      axis === "sideways"
        ? node.scrollWidth > node.clientWidth + 1
        : node.scrollHeight > node.clientHeight + 1;
    if (over === "overflows" in node.dataset) return;
    if (over) {
      node.setAttribute("tabindex", "0");
      node.dataset.overflows = "";
    } else {
      node.removeAttribute("tabindex");
      delete node.dataset.ownStop;
      delete node.dataset.overflows;
    }
  };
  judge();
  if (typeof ResizeObserver === "undefined") return () => undefined;
  const watch = new ResizeObserver(judge);
  watch.observe(node);
  for (const child of node.children) watch.observe(child);
  return () => watch.disconnect();
}
