/**
 * Marks found words in what is drawn, by the CSS Custom Highlight API: the elements of a message are never changed for
 * it. Where the web view does not have it, the row at hand is still outlined.
 */

/** Names of the highlights; `markdown.css` gives them their colours. */
const ALL = "find";
const CURRENT = "find-current";
/** Marked in the page at the most; nobody counts further, and each costs at every change of the page. */
const MOST = 2_000;
/** Controls, words for the ear, and the source that KaTeX keeps beside a formula. */
const OUTSIDE = "button:not(.head), time, .spoken, .extras, .katex-mathml";
/** Kept free between a mark and the lower edge, pixels. */
const EDGE = 20;
const APART = new Set([
  ..."ARTICLE BLOCKQUOTE BR DIV FIGURE H1 H2 H3 H4 H5 H6 HR LI OL P PRE SUMMARY TABLE TBODY TD TH THEAD TR UL".split(
    " ",
  ),
]);

/** Places of the words in a row as they stand there, in any case, also across the edges of bold or coloured parts. */
export function occurrences(row: Element, words: string, most = MOST): Range[] {
  if (words === "") return [];
  const nodes: { node: Text; from: number }[] = [];
  let text = "";
  const walk = (parent: Node) => {
    for (let child = parent.firstChild; child !== null; child = child.nextSibling) {
      if (child instanceof Text) {
        nodes.push({ node: child, from: text.length });
        text += child.data;
      } else if (child instanceof Element && !child.matches(OUTSIDE)) {
        const apart = APART.has(child.tagName);
        // Words do not go on from one paragraph, cell or line into the next.
        if (apart) text += "\n";
        walk(child);
        if (apart) text += "\n";
      }
    }
  };
  walk(row);
  const found: Range[] = [];
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  let at = 0;
  const place = (offset: number, end: boolean) => {
    // An end belongs to the node it closes, not to the one that begins there.
    const inside = (i: number) => {
      const next = nodes[i + 1]?.from ?? Infinity;
      return end ? offset > next : offset >= next;
    };
    while (inside(at)) at++;
    const { node, from } = nodes[at]!;
    return [node, Math.min(node.length, offset - from)] as const;
  };
  for (const match of text.matchAll(pattern)) {
    if (found.length >= most) break;
    const range = new Range();
    range.setStart(...place(match.index, false));
    range.setEnd(...place(match.index + match[0].length, true));
    found.push(range);
  }
  return found;
}

/** Marks the words in all rows under `root`. Answers the first mark in the row of this message, if there is one. */
export function mark(root: Element, words: string, currentId: string | null): Range | null {
  const [all, current]: [Range[], Range[]] = [[], []];
  for (const row of root.querySelectorAll<HTMLElement>("[data-message-id]")) {
    const into = row.dataset["messageId"] === currentId ? current : all;
    into.push(...occurrences(row, words, MOST - all.length - current.length));
  }
  paint(ALL, all);
  paint(CURRENT, current);
  return current[0] ?? null;
}

export function unmark(): void {
  paint(ALL, []);
  paint(CURRENT, []);
}

/**
 * One highlight a name for good, emptied and filled: WebKitGTK draws what `clear` and `add` touch anew, but leaves the
 * marks of a highlight that another one replaces, or that leaves the registry, on the screen (2.50, seen).
 */
function paint(name: string, ranges: readonly Range[]): void {
  if (typeof Highlight === "undefined" || !("highlights" in CSS)) return;
  const known = CSS.highlights.get(name);
  const highlight = known ?? new Highlight();
  if (known === undefined) CSS.highlights.set(name, highlight);
  highlight.clear();
  for (const range of ranges) highlight.add(range);
}

/**
 * Scrolls what scrolls inside `root` so that a mark is in view there, and tells how far `root` itself has to scroll for
 * it, in pixels: 0 when it is in view, `below` under the top edge otherwise.
 */
export function bringIntoView(mark: Range, root: Element, below: number): number {
  for (let box = mark.startContainer.parentElement; box !== null && box !== root; box = box.parentElement) {
    if (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight) continue;
    const [frame, place] = [box.getBoundingClientRect(), mark.getBoundingClientRect()];
    if (place.left < frame.left || place.right > frame.right) {
      box.scrollLeft += place.left - frame.left - frame.width / 3;
    }
    if (place.top < frame.top || place.bottom > frame.bottom) {
      box.scrollTop += place.top - frame.top - frame.height / 3;
    }
  }
  const [frame, place] = [root.getBoundingClientRect(), mark.getBoundingClientRect()];
  const inside = place.top >= frame.top + below && place.bottom <= frame.bottom - EDGE;
  return inside ? 0 : place.top - frame.top - below;
}
