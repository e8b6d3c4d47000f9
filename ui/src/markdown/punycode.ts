/** Punycode to letters (RFC 3492, section 6.2), for showing host names. Only decodes; the web view encodes. */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 128;

function adapt(delta: number, points: number, first: boolean): number {
  let rest = first ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / points);
  let k = 0;
  while (rest > ((BASE - T_MIN) * T_MAX) >> 1) {
    rest = Math.floor(rest / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 22;
  if (code >= 97 && code <= 122) return code - 97;
  if (code >= 65 && code <= 90) return code - 65;
  return BASE;
}

/** One label without its `xn--`. Null when it is not valid punycode. */
export function decodePunycode(input: string): string | null {
  const dash = input.lastIndexOf("-");
  const output = dash > 0 ? [...input.slice(0, dash)].map((c) => c.codePointAt(0) ?? 0) : [];
  let [n, i, bias] = [INITIAL_N, 0, INITIAL_BIAS];
  let at = dash > 0 ? dash + 1 : 0;
  while (at < input.length) {
    const before = i;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      if (at >= input.length) return null;
      const value = digit(input.charCodeAt(at++));
      if (value >= BASE) return null;
      i += value * weight;
      const threshold = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
      if (value < threshold) break;
      weight *= BASE - threshold;
      if (i > 0x7fffffff || weight > 0x7fffffff) return null;
    }
    const points = output.length + 1;
    bias = adapt(i - before, points, before === 0);
    n += Math.floor(i / points);
    i %= points;
    if (n > 0x10ffff) return null;
    output.splice(i++, 0, n);
  }
  return String.fromCodePoint(...output);
}
