/**
 * A virtual list as runes over @tanstack/virtual-core. Call `createVirtual` while a component is being set up; read
 * `items` and `total` in the markup. Sizes are known (`estimate`) or measured (`measure` as an attachment).
 */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type Range,
  type VirtualItem,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import { untrack } from "svelte";

export interface VirtualInput {
  count: number;
  scroller: HTMLElement | undefined;
  /** Height of an entry, exact or a first guess, in CSS pixels. */
  estimate: (index: number) => number;
  key: (index: number) => string | number;
  /** Entries are measured once drawn; otherwise `estimate` is exact and is asked again at every change. */
  measured?: boolean;
  overscan?: number;
  /** Entries that stay in the page wherever it is scrolled to, such as the one with the focus. */
  keep?: readonly number[];
  /** Where the list begins inside the scroller, in CSS pixels. */
  margin?: number;
  padding?: { start: number; end: number };
}

export interface Virtual {
  readonly items: readonly VirtualItem[];
  /** Height of everything, in CSS pixels. */
  readonly total: number;
  readonly core: Virtualizer<HTMLElement, HTMLElement>;
  scrollTo(index: number, align?: "auto" | "start" | "center" | "end"): void;
  /** For entries whose height is only known once drawn: `{@attach list.measure}` on an element with `data-index`. */
  measure(node: HTMLElement): void;
}

/** Without a layout (a hidden page, a test) a list still draws one screen. */
const NO_LAYOUT = { width: 300, height: 720 };

/** The visible range with its overscan, plus the kept entries, in order and each once. */
export function keptRange(range: Range, keep: readonly number[]): number[] {
  const first = Math.max(range.startIndex - range.overscan, 0);
  const last = Math.min(range.endIndex + range.overscan, range.count - 1);
  const before = keep.filter((index) => index >= 0 && index < first);
  const after = keep.filter((index) => index > last && index < range.count);
  const inside = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  return [...new Set([...before.sort((a, b) => a - b), ...inside, ...after.sort((a, b) => a - b)])];
}

export function createVirtual(input: () => VirtualInput): Virtual {
  let items = $state.raw<VirtualItem[]>([]);
  let total = $state(0);

  const read = () => {
    const nextItems = core.getVirtualItems();
    const nextTotal = core.getTotalSize();
    if (nextTotal !== total) total = nextTotal;
    items = nextItems;
  };

  const options = (now: VirtualInput): VirtualizerOptions<HTMLElement, HTMLElement> => ({
    count: now.count,
    getScrollElement: () => now.scroller ?? null,
    estimateSize: now.estimate,
    getItemKey: now.key,
    overscan: now.overscan ?? 6,
    scrollMargin: now.margin ?? 0,
    paddingStart: now.padding?.start ?? 0,
    paddingEnd: now.padding?.end ?? 0,
    initialRect: NO_LAYOUT,
    rangeExtractor: (range) => keptRange(range, now.keep ?? []),
    scrollToFn: elementScroll,
    observeElementOffset,
    observeElementRect: (instance, callback) =>
      observeElementRect(instance, (rect) => callback(rect.height > 0 ? rect : NO_LAYOUT)),
    onChange: () => untrack(read),
  });

  const core = new Virtualizer<HTMLElement, HTMLElement>(untrack(() => options(input())));

  $effect(() => core._didMount());
  $effect.pre(() => {
    const now = input();
    untrack(() => {
      core.setOptions(options(now));
      core._willUpdate();
      if (!now.measured) core.measure();
      read();
    });
  });

  return {
    get items() {
      return items;
    },
    get total() {
      return total;
    },
    core,
    scrollTo(index, align = "auto") {
      core.scrollToIndex(index, { align });
    },
    measure(node) {
      core.measureElement(node);
    },
  };
}
