/** Which session a window had open, for a page that is loaded again in it, by hand or after its process died. */
const KEY = "talaria.open";

export function rememberOpen(id: string | null): void {
  try {
    if (id === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, id);
  } catch {
    // Without a place to keep it, a reload begins with a draft.
  }
}

/** Null on a fresh start: only a page that was loaded again goes on where it was. */
export function rememberedOpen(): string | null {
  try {
    const [how] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return how?.type === "reload" ? sessionStorage.getItem(KEY) : null;
  } catch {
    return null;
  }
}
