/** A text after its escapes were decoded. */
export interface Reading {
  text: string;
  /** Returns where in the original text the character begins that is at `index` in this decoded text. */
  at(index: number): number;
}

interface Escapes {
  sign: string;
  one: RegExp;
  /** Pattern of an incomplete escape at the end of a text. */
  incomplete: RegExp;
  decode(written: string): string;
}

const LETTERS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', 0: '\0' };

/** Escapes of JSON and of Node's `util.inspect`. */
const BACKSLASH: Escapes = {
  sign: '\\',
  one: /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'`\\/bfnrtv0])/g,
  incomplete: /\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?$/,
  decode: ([, kind = '', ...digits]) =>
    digits.length > 0 ? String.fromCharCode(Number.parseInt(digits.join(''), 16)) : (LETTERS[kind] ?? kind),
};

/** Escapes of URLs and HTML forms. The pattern matches one UTF-8 character, which may have up to four bytes. */
const PERCENT: Escapes = {
  sign: '%',
  one: /%(?:[0-7][0-9a-f]|[cd][0-9a-f]%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-7](?:%[89ab][0-9a-f]){3})/gi,
  incomplete: /(?:%[0-9a-f]{0,2})+$/i,
  decode: written => {
    try {
      return decodeURIComponent(written);
    } catch {
      return written;
    }
  },
};

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/** Escapes of HTML, as they are in the source of a page that shows the text. */
const ENTITY: Escapes = {
  sign: '&',
  one: /&(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,7}|#x[0-9a-f]{1,6});/gi,
  incomplete: /&[#0-9a-z]{0,9}$/i,
  decode: written => {
    const name = written.slice(1, -1).toLowerCase();
    if (!name.startsWith('#')) return ENTITIES[name] ?? written;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : written;
  },
};
const MAX_CODE_POINT = 0x10_ff_ff;

const LONGEST_ESCAPE = 12;
const LEVELS = 2;

/**
 * Yields the text itself, and then the text with its escapes decoded. Decodes up to two levels of escapes in any order,
 * for example JSON in JSON, or HTML in JSON.
 *
 * @param isCut whether the text may end in an incomplete escape, which is then left out
 */
export function* readings(text: string, isCut: boolean, levels = LEVELS): Generator<Reading> {
  yield { text, at: index => index };
  if (levels === 0) return;
  for (const escapes of [BACKSLASH, PERCENT, ENTITY]) {
    if (!text.includes(escapes.sign)) continue;
    const whole = isCut ? withoutIncomplete(text, escapes) : text;
    const read = whole.replace(escapes.one, escapes.decode);
    if (read === text) continue;
    let starts: number[] | undefined;
    for (const inner of readings(read, isCut, levels - 1)) {
      // Compute the positions only when they are needed for the first time, because hardly any text contains a secret.
      const at = (index: number): number => {
        starts ??= startsOf(whole, escapes);
        return starts[inner.at(index)] as number;
      };
      yield { text: inner.text, at };
    }
  }
}

/**
 * Removes an incomplete escape at the end of the text. Searches only the end, because a text can be made such that the
 * pattern is slow to search in all of it.
 */
function withoutIncomplete(text: string, { incomplete }: Escapes): string {
  const begins = text.slice(-LONGEST_ESCAPE).search(incomplete);
  return begins < 0 ? text : text.slice(0, Math.max(0, text.length - LONGEST_ESCAPE) + begins);
}

/** Returns the position in the text for each character of the decoded text, and for its end. */
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
