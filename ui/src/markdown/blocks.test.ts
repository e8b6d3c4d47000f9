// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { blocksOf, isOverLimit, MAX_MARKDOWN_BYTES } from "./blocks";
import { plainTextOf } from "./plain";

describe("blocks", () => {
  it("split a message as CommonMark and GFM have it", () => {
    const kinds = blocksOf(
      "# T\n\np\n\n- a\n- b\n\n> q\n\n```rs title=a.rs\nx\n```\n\n---\n\n|a|\n|-|\n|1|",
    ).map((block) => block.kind);
    expect(kinds).toEqual(["text", "text", "list", "quote", "code", "rule", "table"]);
  });

  it("keep their identity while a message grows behind them", () => {
    const before = blocksOf("# Title\n\nfirst\n\nsec");
    const after = blocksOf("# Title\n\nfirst\n\nsecond");
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[2]).not.toBe(before[2]);
  });

  it("are made again when a reference they use is defined later", () => {
    expect(JSON.stringify(blocksOf("[x][y]"))).not.toContain("href");
    expect(JSON.stringify(blocksOf("[x][y]\n\n[y]: https://e.example"))).toContain("https://e.example");
  });

  it("name language and file of a fence", () => {
    expect(blocksOf('```rust title="src/a b.rs"\nx\n```')[0]).toEqual({
      kind: "code",
      language: "rust",
      title: "src/a b.rs",
      text: "x",
    });
    expect(blocksOf("```\nx\n```")[0]).toMatchObject({ kind: "code", language: "", title: "" });
  });

  it("show what is still being written inside an open fence as code", () => {
    expect(blocksOf("```py\nx = 1")[0]).toMatchObject({ kind: "code", text: "x = 1" });
  });

  it("set numbers of a column right, words left", () => {
    const [table] = blocksOf("|n|w|\n|-|-|\n|1,200|a|\n|-3.5 %|b|");
    if (table?.kind !== "table") throw new Error("no table");
    expect(table.head.map((cell) => cell.align)).toEqual(["end", "start"]);
    expect(table.rows.map((row) => row.map((cell) => cell.numeric))).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  it("know tasks", () => {
    const [list] = blocksOf("- [x] a\n- [ ] b\n- c");
    expect(list?.kind === "list" && list.items.map((item) => item.done)).toEqual([true, false, null]);
  });

  it("make a card of a remote picture that stands alone, a labelled link of one in a text", () => {
    expect(blocksOf("![A chart](https://e.example/c.png)")).toEqual([
      { kind: "remote", address: "https://e.example/c.png", alt: "A chart" },
    ]);
    const [text] = blocksOf("see ![A chart](https://e.example/c.png)");
    expect(text?.kind === "text" && text.html).toContain("A chart, Picture on e.example");
    expect(JSON.stringify(text)).not.toContain("<img");
  });

  it("show a small picture inside the message", () => {
    const [block] = blocksOf("![dot](data:image/png;base64,AAAA)");
    expect(block?.kind === "text" && block.html).toContain(
      '<img class="md-picture" src="data:image/png;base64,AAAA"',
    );
  });

  it("join lines as CommonMark does, or keep them as people type", () => {
    expect(blocksOf("a\nb")[0]).toMatchObject({ html: "a\nb" });
    expect(blocksOf("a\nb", { lineBreaks: true })[0]).toMatchObject({ html: "a<br>b" });
  });

  it("give a message over 1 MiB back as plain text, counted in bytes", () => {
    const long = "# a\n".repeat(MAX_MARKDOWN_BYTES / 4 + 1);
    expect(blocksOf(long)).toEqual([{ kind: "plain", text: long }]);
    expect(isOverLimit("é".repeat(MAX_MARKDOWN_BYTES / 2))).toBe(false);
    expect(isOverLimit("é".repeat(MAX_MARKDOWN_BYTES / 2 + 1))).toBe(true);
  });

  it("survive nesting that nobody writes", () => {
    for (const source of [
      ">".repeat(20_000),
      "- ".repeat(3_000) + "x",
      "[".repeat(5_000),
      "*".repeat(5_000) + "x",
    ]) {
      expect(blocksOf(source).length).toBeGreaterThan(0);
    }
  });
});

describe("plain text for copying", () => {
  it("has the letters that entities stand for, and nothing unseen that nobody wrote as a letter", () => {
    expect(plainTextOf("a &amp; b &lt;c&gt; &copy; A&nbsp;B `&amp;` &unknown;")).toBe(
      "a & b <c> © A\u00a0B &amp; &unknown;",
    );
    expect(plainTextOf("x&#8238;fdp&#x200b;.exe&zwnj;&#0;&shy;&lrm;")).toBe("xfdp.exe\ufffd");
    expect(plainTextOf("as written: \u202ea\u2069")).toBe("as written: \u202ea\u2069");
  });

  it("has no tag that only formats, and every one that is shown", () => {
    expect(plainTextOf("H<sub>2</sub>O<br>next<!-- c --> <img src=x>")).toBe("H2O\nnext <img src=x>");
    expect(plainTextOf("<div>one<br>two</div>\n\n<script>x</script>")).toBe("one\ntwo\n\n<script>x</script>");
  });

  it("leaves out the marks and keeps addresses, code and order", () => {
    expect(
      plainTextOf(
        "# T\n\nA **b** [l](https://e.example) `c` $x$.\n\n1. one\n2. two\n   - in\n\n```rs\nlet a;\n```\n\n|a|b|\n|-|-|\n|1|2|",
      ),
    ).toBe("T\n\nA b l (https://e.example) c x.\n\n1. one\n2. two\n   - in\n\nlet a;\n\na\tb\n1\t2");
  });
});
