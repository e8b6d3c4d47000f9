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

const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|\w{1,31});/gi;
// Controls, and what turns or joins text without being seen.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

/** Entities as the letters they stand for, for copying. One that stands for nothing to be seen is left out. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (entity) => {
    // What a text field holds is never made into elements.
    const field = document.createElement("textarea");
    field.innerHTML = entity;
    return UNSEEN.test(field.value) ? "" : field.value;
  });
}
