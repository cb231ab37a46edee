/** A text as somebody reads it who undoes its escapes. */
export interface Reading {
  text: string;
  /** Where the character at `place` of this reading begins in the text as it was written. */
  at(place: number): number;
}

interface Escapes {
  sign: string;
  one: RegExp;
  /** An escape that was cut off at the end of a text. */
  begun: RegExp;
  decode(written: string): string;
}

const LETTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', 0: '\0' };

/** Those of JSON, and of what Node prints of a value. */
const BACKSLASH: Escapes = {
  sign: '\\',
  one: /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'`\\/bfnrtv0])/g,
  begun: /\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?$/,
  decode: ([, kind = '', ...digits]) =>
    digits.length > 0 ? String.fromCharCode(Number.parseInt(digits.join(''), 16)) : (LETTERS[kind] ?? kind),
};

/** Those of addresses and forms: each of them one character of UTF-8. */
const PERCENT: Escapes = {
  sign: '%',
  one: /%(?:[0-7][0-9a-f]|[cd][0-9a-f]%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-7](?:%[89ab][0-9a-f]){3})/gi,
  begun: /(?:%[0-9a-f]{0,2})+$/i,
  decode: written => {
    try {
      return decodeURIComponent(written);
    } catch {
      return written;
    }
  },
};

const LONGEST_ESCAPE = 12;
const LEVELS = 2;

/**
 * The text itself, then with escapes undone, up to two levels of them in any order: JSON in JSON, an address in JSON. Of a
 * text that `isCut`, an escape that was cut in two is left out of what is undone.
 */
export function* readings(text: string, isCut: boolean, levels = LEVELS): Generator<Reading> {
  yield { text, at: place => place };
  if (levels === 0) return;
  for (const escapes of [BACKSLASH, PERCENT]) {
    if (!text.includes(escapes.sign)) continue;
    const whole = isCut ? withoutBegun(text, escapes) : text;
    const read = whole.replace(escapes.one, escapes.decode);
    if (read === text) continue;
    let starts: number[] | undefined;
    for (const inner of readings(read, isCut, levels - 1)) {
      // Counted only when something was found: hardly any text holds a secret.
      const at = (place: number): number => {
        starts ??= startsOf(whole, escapes);
        return starts[inner.at(place)] as number;
      };
      yield { text: inner.text, at };
    }
  }
}

/** Looks at the end only: a pattern that is tried at each place of a hostile text would take its time. */
function withoutBegun(text: string, { begun }: Escapes): string {
  const begins = text.slice(-LONGEST_ESCAPE).search(begun);
  return begins < 0 ? text : text.slice(0, Math.max(0, text.length - LONGEST_ESCAPE) + begins);
}

/** For each character of the reading, and for its end, where it begins in the text. */
function startsOf(text: string, { one, decode }: Escapes): number[] {
  const starts: number[] = [];
  const pass = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) starts.push(at);
  };
  let from = 0;
  for (const { 0: written, index } of text.matchAll(one)) {
    pass(from, index);
    for (let unit = decode(written).length; unit > 0; unit -= 1) starts.push(index);
    from = index + written.length;
  }
  pass(from, text.length + 1);
  return starts;
}
