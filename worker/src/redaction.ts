import { cutPlace } from './cut-text.js';
import { readings } from './escaped-text.js';
import { type FoundPlace, TextFinder } from './text-finder.js';

const MARK = '[secret]';

/** Anything shorter stands in nearly every text. */
const MIN_CHARS = 4;
/** What is shorter, values and their encoded forms, is taken out where it stands by itself: within words it is mostly none. */
const LONG_CHARS = 8;
/** All encoded forms together: a secret may be large, and finding them takes memory. The longest values go without. */
const ENCODED_CHARS = 128 * 1024;

/** The texts and numbers of a JSON text; a text is matched whole, so that nothing inside it is taken for a number. */
const JSON_SCALARS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const WORD = /[\p{L}\p{N}_]/u;

/**
 * Takes the values of an input secret out of texts, as well as can be: plain, with escapes of JSON or of addresses, in
 * base64 (also within something longer), and in hex. A value that the skript changed in any other way is not known.
 *
 * Values of 8 characters and more are found wherever they are; numbers, and values of 4 to 7, where they stand by
 * themselves; shorter ones are left. Of an encoded form its own length decides: most are longer than their value. The
 * lines of a value that has several are values too, because what a run prints is read line by line.
 */
export class Redaction {
  readonly #words = new Set<string>();
  readonly #long: TextFinder | null;
  readonly #alone: TextFinder | null;

  /** `secret` is JSON text. */
  constructor(secret: string | null) {
    const long = new Set<string>();
    if (secret !== null) collect(JSON.parse(secret), long, this.#words);
    const alone = new Set(this.#words);
    for (const value of long) this.#words.add(value);
    for (const form of encodedForms(this.#words)) (form.length < LONG_CHARS ? alone : long).add(form);
    this.#long = finderOf(long);
    this.#alone = finderOf(alone);
  }

  /** Of a text that was cut, what may be the beginning of a value goes too. */
  text(text: string): string {
    if (this.#words.size === 0) return text;
    const cutAt = cutPlace(text);
    let from = 0;
    let redacted = '';
    for (const { start, end } of this.#find(text.slice(0, cutAt ?? text.length), cutAt !== null)) {
      redacted += text.slice(from, start) + MARK;
      from = end;
    }
    return redacted + text.slice(from);
  }

  /** JSON text stays JSON text: values are taken out of its texts, keys included, and for a whole number that is one. */
  json(json: string): string {
    if (this.#words.size === 0) return json;
    if (!isJson(json)) return this.text(json);
    // Piece by piece and not by parsing and writing all of it: no depth is too deep, no number loses digits.
    return json.replace(JSON_SCALARS, scalar => {
      if (!scalar.startsWith('"')) return this.#words.has(scalar) ? `"${MARK}"` : scalar;
      const text: string = JSON.parse(scalar);
      const redacted = this.text(text);
      return redacted === text ? scalar : JSON.stringify(redacted);
    });
  }

  /** Places in order, none over another. */
  #find(text: string, isCut: boolean): FoundPlace[] {
    const places: FoundPlace[] = [];
    for (const reading of readings(text, isCut)) {
      const length = reading.text.length;
      for (const finder of [this.#long, this.#alone]) {
        if (!finder) continue;
        const { places: found, begun } = finder.find(reading.text);
        for (const { start, end } of found) {
          if (finder === this.#alone && !standsAlone(reading.text, start, end)) continue;
          places.push({ start: reading.at(start), end: reading.at(end) });
        }
        if (isCut && begun > 0) places.push({ start: reading.at(length - begun), end: text.length });
      }
    }
    return merged(places);
  }
}

const finderOf = (texts: Iterable<string>): TextFinder | null => {
  const finder = new TextFinder(texts);
  return finder.isEmpty ? null : finder;
};

function collect(secret: unknown, long: Set<string>, words: Set<string>): void {
  // A list of its own, not the stack: no depth is too deep.
  const values = [secret];
  while (values.length > 0) {
    const value = values.pop();
    if (typeof value === 'string') {
      for (const text of [value, ...value.split(/\r?\n/).map(line => line.trim())]) {
        if (text.length >= LONG_CHARS) long.add(text);
        else if (text.length >= MIN_CHARS) words.add(text);
      }
    } else if (typeof value === 'number' && String(value).length >= MIN_CHARS) words.add(String(value));
    else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) values.push(inner);
    }
  }
}

function encodedForms(values: Set<string>): Set<string> {
  const forms = new Set<string>();
  let chars = 0;
  for (const value of [...values].sort((a, b) => a.length - b.length)) {
    for (const form of formsOf(value)) {
      if (!forms.has(form)) chars += form.length;
      if (chars > ENCODED_CHARS) return forms;
      forms.add(form);
    }
  }
  return forms;
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  // Forms write a space as a plus.
  const inForm = value.includes(' ') ? [value.replaceAll(' ', '+')] : [];
  return [...inForm, ...base64Forms(bytes), hex, hex.toUpperCase()];
}

/**
 * Base64 has three bytes in four characters, so a value looks different by how many bytes stand before it. A character
 * that holds a neighbour's bits as well is left: at most four bits of the value at each end.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap(before => {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const atTheEnd = base64.slice(Math.ceil((8 * before) / 6));
    const within = base64.slice(Math.ceil((8 * before) / 6), Math.floor((8 * (before + bytes.length)) / 6));
    return [atTheEnd, within].flatMap(form => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
  });
}

const standsAlone = (text: string, start: number, end: number): boolean =>
  !WORD.test(text.charAt(start - 1)) && !WORD.test(text.charAt(end));

function merged(places: FoundPlace[]): FoundPlace[] {
  const inOrder: FoundPlace[] = [];
  for (const place of places.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = inOrder.at(-1);
    if (last && place.start < last.end) last.end = Math.max(last.end, place.end);
    else inOrder.push(place);
  }
  return inOrder;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
