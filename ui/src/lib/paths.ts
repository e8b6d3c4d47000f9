/** Paths as people read them. Pure. */

/** Where this user's data folder and Hermes' folder lie by default, under the home folder, on each system. */
const UNDER_HOME = [
  "/.local/share/talaria",
  "/Library/Application Support/Talaria",
  "\\AppData\\Local\\Talaria",
  "/.hermes/state.db",
  "\\.hermes\\state.db",
];
/** What a home folder looks like: a default path elsewhere (`HERMES_HOME=/data/x/.hermes`) says nothing about it. */
const HOME = /^(?:\/root|(?:\/var)?\/home\/[^/]+|\/Users\/[^/]+|[A-Z]:\\Users\\[^\\]+)$/i;

/** The user's home folder, as the paths that lie under it by default show it; `null` when none of them does. */
export function homeOf(defaults: readonly string[]): string | null {
  for (const path of defaults) {
    const end = UNDER_HOME.find((tail) => path.endsWith(tail));
    const home = end === undefined ? "" : path.slice(0, -end.length);
    if (HOME.test(home)) return home;
  }
  return null;
}

/** `~/.hermes/state.db` for a path under the home folder; any other path as it is. */
export function shortPath(path: string, home: string | null): string {
  if (home === null || !path.startsWith(home)) return path;
  const rest = path.slice(home.length);
  return rest === "" || rest.startsWith("/") || rest.startsWith("\\") ? `~${rest}` : path;
}

/** The last part of a path of any system. */
export function lastPart(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A path with its middle left out when it is longer than `most` letters: where it begins and what it is stay. */
export function cutMiddle(path: string, most: number): string {
  const letters = [...graphemes.segment(path)].map((part) => part.segment);
  if (letters.length <= most) return path;
  const tail = Math.ceil((most - 1) * 0.6);
  return `${letters.slice(0, most - 1 - tail).join("")}…${letters.slice(-tail).join("")}`;
}
