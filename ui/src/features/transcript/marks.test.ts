// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { mark, occurrences } from "./marks";

function row(html: string): HTMLElement {
  const element = document.createElement("article");
  element.innerHTML = html;
  return element;
}
const found = (html: string, words: string) => occurrences(row(html), words).map(String);

describe("marks of found words", () => {
  it("stand at every occurrence, in any case", () => {
    expect(found("<p>Red, red and RED.</p><p>red</p>", "red")).toEqual(["Red", "red", "RED", "red"]);
    expect(found("<p>СТРАССЕ страссе</p>", "Страссе")).toEqual(["СТРАССЕ", "страссе"]);
    expect(found("<p>İstanbul istanbul</p>", "istanbul")).toEqual(["istanbul"]);
  });

  it("go over the edges of bold parts and coloured code", () => {
    expect(found("<p>so <strong>wh</strong>at</p>", "o wha")).toEqual(["o wha"]);
    expect(found("<pre><code><span>let</span> <span>a</span> = 1;</code></pre>", "let a = 1;")).toEqual([
      "let a = 1;",
    ]);
  });

  it("do not go on into the next paragraph, cell or item", () => {
    expect(found("<p>one</p><p>two</p>", "onetwo")).toEqual([]);
    expect(found("<table><tbody><tr><td>one</td><td>two</td></tr></tbody></table>", "onetwo")).toEqual([]);
    expect(found("<p>one</p><p>two</p>", "two")).toEqual(["two"]);
  });

  it("take every letter as a letter", () => {
    for (const words of [".*", "a|b", "[x]", "$1", "\\d", "(", "-", "/", "^"]) {
      expect(found(`<p>x ${words} y</p>`, words)).toEqual([words]);
      expect(found("<p>plain words 1</p>", words)).toEqual([]);
    }
    expect(found("<p>a&nbsp;b a b</p>", "a b")).toEqual(["a b"]);
    expect(found("<p>👨‍👩‍👧 family</p>", "👨‍👩‍👧")).toEqual(["👨‍👩‍👧"]);
  });

  it("leave controls, words for the ear and KaTeX's source alone", () => {
    expect(
      found(
        '<button>Copy</button><span class="spoken">Copied</span><div class="extras"><time>copy</time></div>' +
          '<span class="katex-mathml">copy</span><p>copy</p>',
        "copy",
      ),
    ).toEqual(["copy"]);
  });

  it("end at a number, and are none without words", () => {
    expect(occurrences(row(`<p>${"a ".repeat(5_000)}</p>`), "a")).toHaveLength(2_000);
    expect(found("<p>a</p>", "")).toEqual([]);
  });

  it("change nothing in the message", () => {
    const root = row('<div data-message-id="m1"><p>a <em>b</em></p></div><div data-message-id="m2">a</div>');
    const before = root.innerHTML;
    expect(String(mark(root, "a b", "m1"))).toBe("a b");
    expect(mark(root, "a", "m9")).toBeNull();
    expect(root.innerHTML).toBe(before);
  });
});
