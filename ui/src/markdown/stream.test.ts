import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blocksOf } from "./blocks";
import { advance, emptyStream, type Streamed } from "./stream";

const all = ({ frozen, tail }: Streamed) => [...frozen, ...tail];

function grow(pieces: readonly string[]): Streamed {
  let text = "";
  return pieces.reduce((state, piece) => advance(state, (text += piece)), emptyStream);
}

/** Cuts a text at these places. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, i) => text.slice(start, at[i] ?? text.length));
}

const block = fc.constantFrom(
  "A paragraph with **strong** words\nand a second line.",
  "# A heading",
  "A heading\n=========",
  "```rust\nfn main() {\n\n    run();\n}\n```",
  "| a | b |\n|---|--:|\n| 1 | 2 |",
  "> quoted\n> more",
  "- one\n- two\n  - inside",
  "$$\nx^2\n$$",
  "---",
  "![p](https://example.org/a.png)",
  "日本語の段落。",
);

describe("Markdown that is still being written", () => {
  test("ends as the whole message does, wherever it was cut", () => {
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        (blocks, places) => {
          // Lists that meet are one list to the parser; between them stands a rule.
          const text = blocks.join("\n\n---\n\n") + "\n";
          expect(all(grow(cut(text, places)))).toEqual(blocksOf(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("never makes a frozen block again", () => {
    let state = advance(emptyStream, "# One\n\nTwo is here.\n\nThr");
    const [first, second] = state.frozen;
    expect(state.frozen).toHaveLength(1);
    state = advance(state, "# One\n\nTwo is here.\n\nThree\n\nFour\n");
    expect(state.frozen[0]).toBe(first);
    expect(state.frozen).toHaveLength(3);
    expect(second).toBeUndefined();
    const third = state.frozen[2];
    state = advance(state, "# One\n\nTwo is here.\n\nThree\n\nFour\nand more");
    expect(state.frozen[2]).toBe(third);
    expect(state.tail).toHaveLength(1);
  });

  test("does not freeze what the next line may still change", () => {
    // An underline makes it a heading, a line of dashes and pipes a table.
    expect(advance(emptyStream, "Title\n").frozen).toEqual([]);
    expect(advance(emptyStream, "a | b\n").frozen).toEqual([]);
    expect(advance(emptyStream, "```js\nconst a = 1;\n\nconst").frozen).toEqual([]);
    const list = advance(emptyStream, "- a\n\n-");
    expect(all(advance(list, "- a\n\n- b\n"))).toEqual(blocksOf("- a\n\n- b\n"));
  });

  test("another text starts over", () => {
    const state = advance(emptyStream, "One\n\nTwo\n\nThree");
    expect(all(advance(state, "Else"))).toEqual(blocksOf("Else"));
    expect(all(advance(state, ""))).toEqual([]);
  });
});
