// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { blocksOf } from "./blocks";
import { blockMathAt, inlineMathAt, renderMath } from "./math";

describe("inline math", () => {
  it.each([
    ["$x$", "x"],
    ["$a + b$ and", "a + b"],
    ["$\\$5$", "\\$5"],
    ["\\(x\\) y", "x"],
    ["$$x$$", "x"],
    ["$x$.", "x"],
  ])("%s is math", (source, tex) => expect(inlineMathAt(source)?.tex).toBe(tex));

  it.each([
    "$5 and $6",
    "$ x$",
    "$x $",
    "$5-$10",
    "$x$5",
    "$",
    "$$",
    "$unclosed",
    "$a\n\nb$",
    `$${"a".repeat(3000)}$`,
    "\\(unclosed",
    "\\( \\)",
  ])("%s is text", (source) => expect(inlineMathAt(source)).toBeNull());

  it("never starts inside a word", () => {
    expect(blocksOf("It was US$5, then A$6 again")).toEqual([
      { kind: "text", tag: "p", html: "It was US$5, then A$6 again" },
    ]);
  });

  it("stands where it was written, in text, emphasis, lists and tables", () => {
    const html = (source: string) => JSON.stringify(blocksOf(source));
    for (const source of ["with $\\varepsilon$ here", "**$x$**", "- $x$", "| a |\n|---|\n| $x$ |"]) {
      expect(html(source)).toContain("katex");
      expect(html(source)).not.toContain("md-slot");
    }
  });

  it("is not looked for in code", () => {
    expect(JSON.stringify(blocksOf("`$x$`"))).not.toContain("katex");
  });
});

describe("block math", () => {
  it("takes $$ and \\[ over several lines, with an empty one", () => {
    expect(blockMathAt("$$\nx\n\ny\n$$\nafter")?.raw).toBe("$$\nx\n\ny\n$$\n");
    expect(blockMathAt("\\[\nx\n\\]")?.tex).toBe("\nx\n");
  });

  it("interrupts a paragraph", () => {
    expect(blocksOf("Then:\n$$\nx\n$$\nand").map((block) => block.kind)).toEqual(["text", "math", "text"]);
  });

  it("with words behind it is part of its paragraph", () => {
    expect(blockMathAt("$$x$$ is")).toBeNull();
    expect(blocksOf("$$x$$ is").map((block) => block.kind)).toEqual(["text"]);
  });

  it("is bound in length", () => expect(blockMathAt(`$$${"x".repeat(9000)}$$`)).toBeNull());
});

describe("KaTeX", () => {
  it("draws with MathML for screen readers, its source once", () => {
    const html = renderMath("x^2", false);
    expect(html).toContain("<math");
    expect(html).not.toContain("annotation");
  });

  it("gives the source back, escaped, when it cannot be read", () => {
    expect(renderMath("\\frac{<b>", false)).toMatch(
      /^<code class="md-math-source" title="[^"]*">\\frac\{&lt;b&gt;<\/code>$/,
    );
  });

  it("has no trusted commands and ends what expands for ever", () => {
    expect(renderMath("\\href{https://e.example}{x}", false)).not.toContain("href=");
    expect(renderMath("\\def\\x{\\x\\x}\\x", false)).toContain("md-math-source");
  });

  it("keeps no macro for the next formula", () => {
    renderMath("\\gdef\\mine{y}\\mine", false);
    expect(renderMath("\\mine", false)).toContain("md-math-source");
  });
});
