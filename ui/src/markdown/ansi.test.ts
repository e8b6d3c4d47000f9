import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ansiClasses, parseAnsi, stripAnsi } from "./ansi";

const E = "\u001b";
const classes = (input: string) =>
  parseAnsi(input).map((line) => line.map((span) => [span.text, ansiClasses(span.style)]));

describe("colours", () => {
  it("keep the small set", () => {
    expect(classes(`a${E}[31mb${E}[0mc`)).toEqual([
      [
        ["a", ""],
        ["b", "ansi-1"],
        ["c", ""],
      ],
    ]);
    expect(classes(`${E}[1;4;92mx`)).toEqual([[["x", "ansi-2 ansi-bold ansi-underline"]]]);
    expect(classes(`${E}[7mx`)).toEqual([[["x", "ansi-inverse"]]]);
    expect(classes(`${E}[41mx${E}[49my`)).toEqual([
      [
        ["x", "ansi-ground"],
        ["y", ""],
      ],
    ]);
  });

  it("go on over line ends", () => {
    expect(classes(`${E}[33ma\nb`)).toEqual([[["a", "ansi-3"]], [["b", "ansi-3"]]]);
  });

  it("read 256 and true colours without taking their numbers for others", () => {
    expect(classes(`${E}[38;5;1mx`)).toEqual([[["x", "ansi-1"]]]);
    expect(classes(`${E}[38;5;208mx`)).toEqual([[["x", ""]]]);
    expect(classes(`${E}[38;2;1;4;7;3mx`)).toEqual([[["x", "ansi-italic"]]]);
    expect(classes(`${E}[0;38;5mx`)).toEqual([[["x", ""]]]);
  });
});

describe("everything else of a terminal is dropped", () => {
  it.each([
    ["clipboard", `a${E}]52;c;aGVsbG8=\u0007b`],
    ["title with ST", `a${E}]0;title${E}\\b`],
    ["link", `${E}]8;;https://e.example\u0007ab${E}]8;;\u0007`],
    ["C1 OSC", "a\u009d0;t\u009cb"],
    ["clear screen", `a${E}[2Jb`],
    ["cursor", `a${E}[10;20Hb`],
    ["C1 CSI", "a\u009b2Jb"],
    ["DCS", `a${E}Pq#0${E}\\b`],
    ["APC", `a${E}_x${E}\\b`],
    ["charset", `a${E}(Bb`],
    ["NUL, bell, backspace", "a\u0000\u0007\u0008b"],
    ["direction marks", "a\u202e\u2066b"],
    ["a lone escape at the end", `ab${E}`],
    ["an unfinished CSI", `ab${E}[31`],
    ["private modes", `a${E}[?25lb`],
    ["a CSI with a private m", `a${E}[>4;2mb`],
    ["a file of iTerm", `a${E}]1337;File=inline=1:AAAA\u0007b`],
    ["a notice of the system", `a${E}]9;done\u0007b`],
    ["C1 DCS", "a\u0090payload\u009cb"],
    ["PM", `a${E}^x${E}\\b`],
    ["a reset and a screen of E", `a${E}c${E}#8b`],
    ["questions a terminal answers", `a${E}[6n${E}[cb`],
    ["the other screen", `a${E}[?1049hb`],
    ["DEL and form feed", "a\u007f\u000cb"],
    ["a colour of too many numbers", `a${E}[${"31;".repeat(40)}31mb`],
    ["a number of no size", `a${E}[${"9".repeat(40)}mb`],
  ])("%s", (_, input) => expect(stripAnsi(input)).toBe("ab"));

  it("an OSC that never ends takes its line, not the rest", () => {
    expect(stripAnsi(`a${E}]0;title\nb`)).toBe("a\nb");
  });

  it("a carriage return overwrites its line, but not as part of a line end", () => {
    expect(stripAnsi("10%\r50%\r100%\nnext")).toBe("100%\nnext");
    expect(stripAnsi("a\r\nb\r\n")).toBe("a\nb");
    expect(stripAnsi("done\r")).toBe("done");
  });

  it("no input leaves a control behind, whatever it is", () => {
    const letters = fc.constantFrom(
      E,
      "[",
      "]",
      "m",
      ";",
      "3",
      "1",
      "\n",
      "\r",
      "\u0000",
      "\u009b",
      "\u009d",
      "\\",
      "x",
      "\u202e",
    );
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 60 }), (parts) => {
        expect(stripAnsi(parts.join(""))).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
        );
      }),
    );
  });
});
