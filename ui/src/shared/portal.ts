/** Moves what floats to the end of the page, so that no scroller cuts it and no transform shifts it. */
export function portal(node: HTMLElement): () => void {
  document.body.append(node);
  return () => node.remove();
}
