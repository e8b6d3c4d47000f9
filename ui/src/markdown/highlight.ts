/**
 * The page's side of colouring code: one worker, started with the first block, ended when a block takes too long
 * (a grammar's pattern can run away) and started again for the next. Without colours the code is shown plain.
 */
import type { LanguageId } from "./languages";

/** Text and its class: 0 plain, 1 keyword, 2 string, 3 number, 4 function or type, 5 comment. */
export type Piece = [string, number];

export interface HighlightRequest {
  id: number;
  language: LanguageId;
  code: string;
}

export interface HighlightAnswer {
  id: number;
  /** Null: this one cannot be coloured. */
  lines: Piece[][] | null;
}

export const PIECE_CLASSES = [
  "",
  "syn-keyword",
  "syn-string",
  "syn-number",
  "syn-function",
  "syn-comment",
] as const;

/** Characters; longer code stays plain. */
export const MAX_HIGHLIGHT = 200_000;
/** Milliseconds for one block, the loading of its grammar included. */
const LIMIT_MS = 5_000;
const MAX_KNOWN = 200;

export interface WorkerLike {
  postMessage(message: HighlightRequest): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<HighlightAnswer>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export type Highlight = (language: LanguageId, code: string) => Promise<Piece[][] | null>;

/** One at a time, in order, so that the limit is of the block it is for. */
export function createHighlight(start: () => WorkerLike): Highlight {
  let worker: WorkerLike | undefined;
  let next = 1;
  let last: Promise<unknown> = Promise.resolve();
  const known = new Map<string, Piece[][] | null>();

  function stop() {
    worker?.terminate();
    worker = undefined;
  }

  function run(language: LanguageId, code: string): Promise<Piece[][] | null> {
    return new Promise((resolve) => {
      let mine: WorkerLike;
      try {
        mine = worker ??= start();
      } catch {
        resolve(null);
        return;
      }
      const id = next++;
      const end = (lines: Piece[][] | null) => {
        clearTimeout(timer);
        mine.onmessage = mine.onerror = null;
        resolve(lines);
      };
      const timer = setTimeout(() => {
        stop();
        end(null);
      }, LIMIT_MS);
      mine.onmessage = (event) => {
        if (event.data.id === id) end(event.data.lines);
      };
      mine.onerror = () => {
        stop();
        end(null);
      };
      mine.postMessage({ id, language, code });
    });
  }

  return (language, code) => {
    if (code.length > MAX_HIGHLIGHT) return Promise.resolve(null);
    const key = `${language}\n${code}`;
    const found = known.get(key);
    if (found !== undefined) return Promise.resolve(found);
    const answer = last.then(() => known.get(key) ?? run(language, code));
    last = answer;
    return answer.then((lines) => {
      known.set(key, lines);
      const oldest = known.keys().next();
      if (known.size > MAX_KNOWN && !oldest.done) known.delete(oldest.value);
      return lines;
    });
  };
}

export const highlight: Highlight = createHighlight(
  () => new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" }),
);
