/** What a session has used, in words. Pure. */
import type { Usage } from "../../ipc/generated/Usage";
import { usageTexts as texts } from "../../lib/texts/live";

const grouped = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const money = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const small = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });

/** A price without its currency, which only the user knows. */
export function formatCost(cost: number): string {
  return cost !== 0 && cost < 0.01 ? small.format(cost) : money.format(cost);
}

/** `12.4K tokens, 31 % of the context, costs 0.42`; null before anything was used. */
export function usageWords(usage: Usage): string | null {
  const tokens = usage.input_tokens + usage.output_tokens;
  if (tokens === 0) return null;
  const { context_used: used, context_max: max, cost } = usage;
  return [
    texts.tokens(compact.format(tokens)),
    max === null || max <= 0 ? null : texts.share(Math.min(100, Math.round((used / max) * 100))),
    cost === null ? null : texts.cost(formatCost(cost)),
  ]
    .filter((part) => part !== null)
    .join(", ");
}

/** The same with every number, for its tooltip. */
export function usageDetail(usage: Usage): string {
  const max = usage.context_max === null ? null : grouped.format(usage.context_max);
  return [
    texts.input(grouped.format(usage.input_tokens)),
    texts.output(grouped.format(usage.output_tokens)),
    texts.calls(usage.calls),
    texts.context(grouped.format(usage.context_used), max),
    usage.cost === null ? null : texts.cost(formatCost(usage.cost)),
  ]
    .filter((part) => part !== null)
    .join(", ");
}
