/** Lines above which a code block is shut, and how many it then shows; `spec/look.md`, "Code block". */
export const MAX_OPEN_LINES = 40;
export const SHUT_LINES = 20;
