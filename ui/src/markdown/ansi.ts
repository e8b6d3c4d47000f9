/**
 * Terminal output as lines of styled text. Pure; the view turns styles into classes.
 *
 * Kept: text, tabs, line ends, and of SGR (ECMA-48, 8.3.117) the 16 colours, bold, dim, italic, underline, inverse.
 * Dropped whole: OSC (titles, clipboard, links), DCS, SOS, PM, APC, all other CSI, NUL and every other control, and
 * the marks that turn the direction of text. A carriage return overwrites its line, as progress bars mean it.
 */

export type AnsiColour = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15;

export interface AnsiStyle {
  colour: AnsiColour | null;
  ground: AnsiColour | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

export interface AnsiSpan {
  text: string;
  style: AnsiStyle;
}

export type AnsiLine = AnsiSpan[];

const PLAIN: AnsiStyle = {
  colour: null,
  ground: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

const ESC = 0x1b;
const BEL = 0x07;
const NL = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const ST = 0x9c;

/** Parses a whole output. Never throws and never gives back a control character but the tab. */
export function parseAnsi(input: string): AnsiLine[] {
  const lines: AnsiLine[] = [];
  let line: AnsiLine = [];
  let style = PLAIN;
  let text = "";
  let overwrite = false;

  const push = () => {
    if (text !== "") line.push({ text, style });
    text = "";
  };
  const put = (piece: string) => {
    if (overwrite) {
      line = [];
      text = "";
      overwrite = false;
    }
    text += piece;
  };

  for (let i = 0; i < input.length;) {
    const code = input.charCodeAt(i);
    if (code === NL) {
      push();
      lines.push(line);
      line = [];
      overwrite = false;
      i++;
    } else if (code === CR) {
      // Only a return that more text follows on this line overwrites it; "\r\n" is a line end.
      push();
      overwrite = true;
      i++;
    } else if (code === ESC || (code >= 0x80 && code <= 0x9f)) {
      const sequence = readSequence(input, i);
      i = sequence.next;
      if (sequence.sgr !== null) {
        push();
        style = applySgr(style, sequence.sgr);
      }
    } else if ((code < 0x20 && code !== TAB) || code === 0x7f || isDirectionMark(code)) {
      i++;
    } else {
      const start = i;
      while (i < input.length && isText(input.charCodeAt(i))) i++;
      put(input.slice(start, i));
    }
  }
  push();
  if (line.length > 0) lines.push(line);
  return lines;
}

/** The text alone, for copying. */
export function stripAnsi(input: string): string {
  return parseAnsi(input)
    .map((line) => line.map((span) => span.text).join(""))
    .join("\n");
}

function isText(code: number): boolean {
  return code === TAB || (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && !isDirectionMark(code));
}

function isDirectionMark(code: number): boolean {
  return (
    code === 0x061c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
  );
}

interface Sequence {
  next: number;
  /** The parameters of an SGR sequence, else null. */
  sgr: number[] | null;
}

function readSequence(input: string, at: number): Sequence {
  const first = input.charCodeAt(at);
  const seven = first === ESC;
  // C1 in one character is its ESC form moved by 0x40.
  const kind = seven ? input.charCodeAt(at + 1) : first - 0x40;
  const body = at + (seven ? 2 : 1);
  if (Number.isNaN(kind)) return { next: at + 1, sgr: null };
  switch (kind) {
    case 0x5b: // CSI
      return readControl(input, body);
    case 0x5d: // OSC
    case 0x50: // DCS
    case 0x58: // SOS
    case 0x5e: // PM
    case 0x5f: // APC
      return { next: endOfString(input, body), sgr: null };
  }
  if (!seven) return { next: body, sgr: null };
  // ESC, intermediates (0x20 to 0x2f), one final; a line end or another ESC ends a broken one.
  let i = at + 1;
  while (i < input.length && input.charCodeAt(i) >= 0x20 && input.charCodeAt(i) <= 0x2f) i++;
  const final = input.charCodeAt(i);
  return { next: final >= 0x30 && final <= 0x7e ? i + 1 : i, sgr: null };
}

function readControl(input: string, body: number): Sequence {
  let i = body;
  while (i < input.length && input.charCodeAt(i) >= 0x20 && input.charCodeAt(i) <= 0x3f) i++;
  const final = input.charCodeAt(i);
  if (!(final >= 0x40 && final <= 0x7e)) return { next: i, sgr: null };
  const parameters = input.slice(body, i);
  if (final !== 0x6d || !/^[\d;:]*$/.test(parameters) || parameters.length > 64)
    return { next: i + 1, sgr: null };
  return { next: i + 1, sgr: parameters.split(/[;:]/).map((p) => (p === "" ? 0 : Number(p))) };
}

/** Behind the end of a control string. One that is never ended takes its line along, not the whole output. */
function endOfString(input: string, from: number): number {
  for (let i = from; i < input.length; i++) {
    const code = input.charCodeAt(i);
    if (code === BEL || code === ST) return i + 1;
    if (code === ESC) return input.charCodeAt(i + 1) === 0x5c ? i + 2 : i;
    if (code === NL) return i;
  }
  return input.length;
}

function applySgr(before: AnsiStyle, parameters: number[]): AnsiStyle {
  let style = { ...before };
  for (let i = 0; i < parameters.length; i++) {
    const p = parameters[i] ?? 0;
    if (p === 0) style = { ...PLAIN };
    else if (p === 1) style.bold = true;
    else if (p === 2) style.dim = true;
    else if (p === 3) style.italic = true;
    else if (p === 4) style.underline = true;
    else if (p === 7) style.inverse = true;
    else if (p === 22) style.bold = style.dim = false;
    else if (p === 23) style.italic = false;
    else if (p === 24) style.underline = false;
    else if (p === 27) style.inverse = false;
    else if (p >= 30 && p <= 37) style.colour = (p - 30) as AnsiColour;
    else if (p >= 90 && p <= 97) style.colour = (p - 82) as AnsiColour;
    else if (p === 39) style.colour = null;
    else if (p >= 40 && p <= 47) style.ground = (p - 40) as AnsiColour;
    else if (p >= 100 && p <= 107) style.ground = (p - 92) as AnsiColour;
    else if (p === 49) style.ground = null;
    else if (p === 38 || p === 48) {
      // 256 and true colours are outside the set: the first sixteen are mapped, the rest leave the colour alone.
      const mode = parameters[i + 1];
      if (mode === 5) {
        const n = parameters[i + 2] ?? -1;
        if (n >= 0 && n <= 15) style[p === 38 ? "colour" : "ground"] = n as AnsiColour;
        i += 2;
      } else if (mode === 2) i += 4;
      else i += 1;
    }
  }
  return style;
}

/** The classes of a style; empty for plain text. */
export function ansiClasses(style: AnsiStyle): string {
  const classes: string[] = [];
  const [front, back] = style.inverse ? [style.ground, style.colour] : [style.colour, style.ground];
  if (front !== null) classes.push(`ansi-${front % 8}`);
  if (back !== null) classes.push("ansi-ground");
  if (style.inverse && back === null) classes.push("ansi-inverse");
  if (style.bold) classes.push("ansi-bold");
  if (style.dim) classes.push("ansi-dim");
  if (style.italic) classes.push("ansi-italic");
  if (style.underline) classes.push("ansi-underline");
  return classes.join(" ");
}
