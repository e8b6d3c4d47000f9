/** A written number with its noun: `1 title`, `0 titles`, `1,000+ titles`. */
export function counted(n: string, one: string, many: string): string {
  return `${n} ${n === "1" ? one : many}`;
}
