/** The theme on the root element. `public/theme.js` sets it before the first paint from what is remembered here. */
import type { Theme } from "../ipc";

const KEY = "talaria.theme";

export function resolveTheme(theme: Theme, systemDark: boolean): "light" | "dark" {
  return theme === "system" ? (systemDark ? "dark" : "light") : theme;
}

/** Sets the theme and follows the system while asked to. Returns what stops following. */
export function applyTheme(theme: Theme, root: HTMLElement = document.documentElement): () => void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const set = () => root.setAttribute("data-theme", resolveTheme(theme, system.matches));
  set();
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage the next start shows the system's theme until the settings are read.
  }
  if (theme !== "system") return () => {};
  system.addEventListener("change", set);
  return () => system.removeEventListener("change", set);
}
