const SPECIAL: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for HTML, also inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => SPECIAL[letter] ?? letter);
}

/** The same, but entities of the source (`&copy;`, `&#8594;`) keep their meaning, as Markdown has it. */
export function escapeText(text: string): string {
  return text.replace(
    /[<>"']|&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,31});)/gi,
    (letter) => SPECIAL[letter] ?? letter,
  );
}
