// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { blocksOf, type Block } from "./blocks";
import { sanitizeMath, sanitizeText } from "./sanitize";

/** All HTML that a message would put into the page. */
function htmlOf(blocks: Block[]): string {
  return blocks
    .map((block): string => {
      switch (block.kind) {
        case "text":
        case "math":
          return block.html;
        case "list":
          return block.items.map((item) => htmlOf(item.blocks)).join("");
        case "quote":
          return htmlOf(block.blocks);
        case "table":
          return [...block.head, ...block.rows.flat()].map((cell) => cell.html).join("");
        default:
          return "";
      }
    })
    .join("\n");
}

const ALLOWED_ELEMENTS =
  /^(a|abbr|b|bdi|blockquote|br|cite|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|q|rp|rt|ruby|s|samp|small|span|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|var|wbr)$/;

const HOSTILE = [
  "<script>alert(1)</script>",
  "text <script>alert(1)</script> text",
  "<img src=x onerror=alert(1)>",
  "a <img src=x onerror=alert(1)> b",
  "<svg onload=alert(1)>",
  "<svg><script>alert(1)</script></svg>",
  '<math><mtext><table><mglyph><style><img src=x onerror="alert(1)">',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  "<iframe src=javascript:alert(1)></iframe>",
  "<object data=data:text/html,x></object><embed src=x>",
  "<form action=https://evil.example><input name=q><button>go</button></form>",
  '<a href="javascript:alert(1)">x</a>',
  "<b onmouseover=alert(1)>x</b>",
  "<div style='position:fixed;inset:0'>x</div>",
  '<p id="app" name="body">x</p>',
  "<details open ontoggle=alert(1)><summary>x</summary></details>",
  "<video src=x onerror=alert(1)></video>",
  "<style>*{display:none}</style>",
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  "<base href=https://evil.example>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java&#115;cript:alert(1))",
  "[x](<java\tscript:alert(1)>)",
  "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
  "[x](vbscript:msgbox)",
  "[x](file:///etc/passwd)",
  "[x](//evil.example)",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
  '![x"onerror="alert(1)](https://evil.example/x.png)',
  'see ![a"><img src=x onerror=alert(1)>](https://evil.example/x.png)',
  '[x](https://ok.example "a\\" onmouseover=\\"alert(1)")',
  '[x](https://ok.example/"onmouseover="alert(1))',
  "$\\href{javascript:alert(1)}{x}$",
  "$\\url{javascript:alert(1)}$",
  "$\\includegraphics{https://evil.example/x.png}$",
  "$\\htmlData{a=b}{x} \\htmlStyle{position:fixed}{x} \\htmlId{app}{x}$",
  "$\\text{<img src=x onerror=alert(1)>}$",
  "$\\unknown<script>alert(1)</script>$",
  "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
  "> <iframe src=https://evil.example></iframe>",
  "- <script>alert(1)</script>",
  "`<script>alert(1)</script>`",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  '<span class="md-slot-0">x</span> $x$',
  "<https://ok.example/<script>>",
  "<!--><script>alert(1)</script>-->",
  "<b <script>alert(1)</script>>",
  "<b\nonclick=alert(1)\n>x</b>",
  "<math-slot n=0></math-slot>",
  "<svg><animate onbegin=alert(1) attributeName=x dur=1s></svg>",
  '<svg><a xlink:href="javascript:alert(1)"><text y=20>x</text></a></svg>',
  "<svg><foreignObject><img src=x onerror=alert(1)></foreignObject></svg>",
  '<math><annotation-xml encoding="text/html"><img src=x onerror=alert(1)></annotation-xml></math>',
  "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=alert(1)>",
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  "<template><script>alert(1)</script></template>",
  "<![CDATA[<script>alert(1)</script>]]>",
  "<dialog open>x</dialog><portal src=https://evil.example></portal>",
  "<a href=https://ok.example ping=https://evil.example>x</a>",
  '<img srcset="https://evil.example/1.png 1x"><picture><source srcset=https://evil.example/2.png></picture>',
  "<input type=image src=https://evil.example/x.png>",
  "<table background=https://evil.example/x.png><tr><td>x</table>",
  "<svg><image href=https://evil.example/x.png /><use href=https://evil.example/u.svg#x /></svg>",
  "<link rel=prefetch href=https://evil.example><link rel=dns-prefetch href=//evil.example>",
  "<style>@import url(https://evil.example/x.css)</style>",
  "<form id=__TAURI_INTERNALS__><input name=invoke></form>",
  "[x](&#x6A;avascript:alert(1))",
  "[x](view-source:javascript:alert(1)) [x](blob:javascript:alert(1)) [x](ipc://localhost/session_delete)",
  "[![x](javascript:alert(1))](javascript:alert(1))",
  "<javascript:alert(1)> <data:text/html,x>",
  "![x][p]\n\n[p]: javascript:alert(1)",
  '```mermaid\ngraph TD; click A "javascript:alert(1)"\n```',
  "$$\\begin{array}{c}\\href{data:text/html,x}{y}\\end{array}$$",
  "$\\color{red;background:url(https://evil.example/x)}{x}$",
];

describe("hostile messages", () => {
  it.each(HOSTILE)("%s puts nothing active into the page", (source) => {
    const page = document.createElement("div");
    page.innerHTML = htmlOf(blocksOf(source));
    for (const element of page.querySelectorAll("*")) {
      // KaTeX's own output is its own profile.
      const inMath = element.closest(".md-math") !== null;
      if (!inMath) expect(element.localName).toMatch(ALLOWED_ELEMENTS);
      expect(element.localName).not.toMatch(
        /^(script|iframe|object|embed|form|input|style|link|meta|base|video|audio)$/,
      );
      for (const { name, value } of element.attributes) {
        expect(name).not.toMatch(/^on|^(id|name|srcdoc|action|formaction|xlink:href)$/i);
        if (!inMath) expect(name).toMatch(/^(class|href|title|src|alt)$/);
        if (name === "href") expect(value).toMatch(/^(https?:|mailto:|file:\/)/);
        if (name === "src") expect(value).toMatch(/^data:image\/(png|jpeg|gif|webp);base64,/);
        if (name === "class") expect(value).not.toMatch(/md-slot/);
      }
    }
  });

  it("shows a tag that is not allowed as the text it is", () => {
    expect(htmlOf(blocksOf("a <img src=x onerror=alert(1)> b"))).toBe(
      "a &lt;img src=x onerror=alert(1)&gt; b",
    );
    expect(blocksOf("<script>alert(1)</script>")).toEqual([
      { kind: "plain", text: "<script>alert(1)</script>" },
    ]);
  });

  it("keeps harmless tags without their attributes", () => {
    expect(htmlOf(blocksOf('H<sub class="x" onclick="y()">2</sub>O<br>next'))).toBe("H<sub>2</sub>O<br>next");
  });

  it("drops comments", () => {
    expect(htmlOf(blocksOf("a<!-- b -->c"))).toBe("ac");
    expect(blocksOf("<!-- /MEDIA-GALLERY -->")).toEqual([]);
  });
});

describe("the profiles alone", () => {
  it("take style, handlers, ids and unknown addresses from text", () => {
    const html = sanitizeText(
      '<p style="x" onclick="y()" id="z" data-a="b"><a href="javascript:x">l</a><img src="https://e.example/x"></p>',
    );
    expect(html).not.toMatch(/style|onclick|id=|data-a|javascript|e\.example/);
  });

  it("let no link, script or handler through with math, but its style", () => {
    const html = sanitizeMath(
      '<span class="katex" style="height:1em"><a href="x">l</a><script>1</script></span>',
    );
    expect(html).toContain('style="height:1em"');
    expect(html).not.toMatch(/<a|script/);
  });
});
