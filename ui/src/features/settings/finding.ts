/**
 * The search of one page of the settings: lines that do not hold every word are hidden. A line is any element that
 * says so by `{@attach finding.line}`; the heading of the section it stands in counts as its own words.
 */
import { getContext, setContext } from "svelte";

const KEY = Symbol("finding");

/** Whether every typed word is somewhere in the text. */
export function holds(text: string, query: string): boolean {
  const low = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

export class Finding {
  #lines = new Set<HTMLElement>();
  #query = "";

  /** For `{@attach}`. */
  line = (node: HTMLElement): (() => void) => {
    this.#lines.add(node);
    this.#show(node);
    return () => void this.#lines.delete(node);
  };

  /** Shows what matches. Answers whether anything does. */
  find(query: string): boolean {
    this.#query = query;
    for (const line of this.#lines) this.#show(line);
    return this.#lines.size === 0 || [...this.#lines].some((line) => !line.hidden);
  }

  #show(node: HTMLElement): void {
    const heading = node.parentElement?.closest("section")?.querySelector("h2")?.textContent ?? "";
    node.hidden = !holds(`${heading} ${node.textContent}`, this.#query);
  }
}

/** For the frame: the pages and the lines in it share one. */
export function provideFinding(): Finding {
  return setContext(KEY, new Finding());
}

/** Of the page this is drawn in. */
export function pageFinding(): Finding {
  return getContext<Finding | undefined>(KEY) ?? new Finding();
}
