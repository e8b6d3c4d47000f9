/// <reference lib="webworker" />
/**
 * Colours code off the page's thread. Gets text, gives back text with the number of a class; it makes no HTML and
 * reads nothing but its own grammars.
 */
import { createHighlighterCore, type HighlighterCore, type ThemeRegistrationRaw } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import { loadGrammar } from "./grammars";
import type { HighlightAnswer, HighlightRequest, Piece } from "./highlight";

/** Colours that only name a class: the page's own tokens give the real ones. */
const scope = (n: number, scopes: string[]) => ({ scope: scopes, settings: { foreground: `#00000${n}` } });
const CLASSES: ThemeRegistrationRaw = {
  name: "classes",
  type: "light",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    scope(1, ["keyword", "storage", "keyword.operator.new", "variable.language", "entity.name.tag"]),
    scope(0, ["keyword.operator", "storage.type.annotation", "punctuation"]),
    scope(2, ["string", "punctuation.definition.string", "markup.inline.raw", "string punctuation"]),
    scope(3, [
      "constant.numeric",
      "constant.language",
      "constant.character",
      "constant.other",
      "keyword.other.unit",
    ]),
    scope(4, [
      "entity.name.function",
      "support.function",
      "meta.function-call entity.name",
      "entity.other.attribute-name",
    ]),
    scope(4, ["entity.name.type", "entity.name.class", "support.type", "support.class", "markup.heading"]),
    scope(5, ["comment", "punctuation.definition.comment"]),
  ],
};

let highlighter: Promise<HighlighterCore> | undefined;

async function colour({ id, language, code }: HighlightRequest): Promise<HighlightAnswer> {
  highlighter ??= createHighlighterCore({
    themes: [CLASSES],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const ready = await highlighter;
  await ready.loadLanguage((await loadGrammar(language)).default);
  const { tokens } = ready.codeToTokens(code, {
    lang: language,
    theme: "classes",
    tokenizeMaxLineLength: 2_000,
  });
  const lines = tokens.map((line) => {
    const pieces: Piece[] = [];
    for (const token of line) {
      const n = Number(token.color?.slice(-1) ?? 0) || 0;
      const last = pieces.at(-1);
      if (last !== undefined && last[1] === n) last[0] += token.content;
      else pieces.push([token.content, n]);
    }
    return pieces;
  });
  return { id, lines };
}

self.onmessage = (event: MessageEvent<HighlightRequest>) => {
  void colour(event.data).then(
    (answer) => self.postMessage(answer),
    () => self.postMessage({ id: event.data.id, lines: null } satisfies HighlightAnswer),
  );
};
