import { markerStart } from '../protocol/cut-text.js';
import { isJson } from '../protocol/is-json.js';
import { readings } from './escaped-text.js';
import { sessionTexts } from './session-texts.js';
import { TextFinder, type TextSpan } from './text-finder.js';

const PLACEHOLDER = '[secret]';

/** Values with fewer characters are never redacted, because they occur in nearly every text. */
const MIN_CHARS = 4;
/**
 * Values and encoded forms with fewer characters are redacted only as whole words, because a match inside a word is
 * mostly coincidence.
 */
const LONG_CHARS = 8;
/**
 * Maximum length of all encoded forms together, because they need memory. If a secret is too large for this, its
 * longest values are not redacted in encoded form.
 */
const ENCODED_CHARS = 128 * 1024;

/** Maximum length of all values of sessions together. */
const SESSION_CHARS = 128 * 1024;

/**
 * Matches the strings and numbers of a JSON text. A string is matched as a whole, so that digits inside it do not count
 * as a number.
 */
const JSON_SCALARS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const WORD = /[\p{L}\p{N}_]/u;

/**
 * Redacts the values of an input secret and of sessions in texts: plain, escaped as in JSON or URLs, in base64 (also inside a longer
 * one), and in hex. Does not recognise a value that the skript changed in another way.
 *
 * Redacts values of 8 characters or more anywhere, numbers and values of 4 to 7 characters only as whole words, and
 * shorter ones never. For an encoded form, the form's own length decides. Each line of a value with several lines also
 * counts as a value, because the worker reads the printed text of a run line by line.
 */
export class Redaction {
  readonly #secret = { anywhere: new Set<string>(), alone: new Set<string>() };
  /** Values of sessions. */
  readonly #session = new Set<string>();
  #values: ReadonlySet<string> = new Set();
  #anywhere: TextFinder | null = null;
  #alone: TextFinder | null = null;

  /** @param secret JSON text */
  constructor(secret: string | null) {
    if (secret === null) return;
    collect(JSON.parse(secret), this.#secret.anywhere, this.#secret.alone);
    this.#prepare();
  }

  /**
   * Redacts the values of a session from now on, too. Leaves the longest out if they have too many characters together.
   *
   * @param value JSON text, which a run may have written
   */
  addSession(value: string): void {
    const before = this.#session.size;
    let chars = [...this.#session].reduce((sum, { length }) => sum + length, 0);
    for (const text of sessionTexts(value).sort((a, b) => a.length - b.length)) {
      if (this.#session.has(text)) continue;
      chars += text.length;
      if (chars > SESSION_CHARS) break;
      this.#session.add(text);
    }
    if (this.#session.size > before) this.#prepare();
  }

  #prepare(): void {
    const anywhere = new Set([...this.#secret.anywhere, ...this.#session]);
    const alone = new Set(this.#secret.alone);
    this.#values = new Set([...alone, ...anywhere]);
    for (const form of encodedForms(this.#values)) (form.length < LONG_CHARS ? alone : anywhere).add(form);
    this.#anywhere = finderOf(anywhere);
    this.#alone = finderOf(alone);
  }

  /** Whether there are no values to redact. */
  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Redacts a text. If the text was cut, also redacts characters at its end that may be the beginning of a value. */
  text(text: string): string {
    if (this.isEmpty) return text;
    const cutAt = markerStart(text);
    let from = 0;
    let redacted = '';
    for (const { start, end } of this.#find(text.slice(0, cutAt ?? text.length), cutAt !== null)) {
      redacted += text.slice(from, start) + PLACEHOLDER;
      from = end;
    }
    return redacted + text.slice(from);
  }

  /** Redacts strings, keys and whole numbers of a JSON text. The result is JSON text again. */
  json(json: string): string {
    if (this.isEmpty) return json;
    if (!isJson(json)) return this.text(json);
    // Replace each string and number separately instead of parsing the whole text. This works at any depth of nesting,
    // and numbers keep all their digits.
    return json.replace(JSON_SCALARS, scalar => {
      if (!scalar.startsWith('"')) return this.#values.has(scalar) ? `"${PLACEHOLDER}"` : scalar;
      const text: string = JSON.parse(scalar);
      const redacted = this.text(text);
      return redacted === text ? scalar : JSON.stringify(redacted);
    });
  }

  /** Returns where in the text values occur, in order and without overlaps. */
  #find(text: string, isCut: boolean): TextSpan[] {
    const spans: TextSpan[] = [];
    for (const reading of readings(text, isCut)) {
      const length = reading.text.length;
      for (const finder of [this.#anywhere, this.#alone]) {
        if (!finder) continue;
        const { spans: found, partialLength } = finder.find(reading.text);
        for (const { start, end } of found) {
          if (finder === this.#alone && !standsAlone(reading.text, start, end)) continue;
          spans.push({ start: reading.at(start), end: reading.at(end) });
        }
        if (isCut && partialLength > 0) spans.push({ start: reading.at(length - partialLength), end: text.length });
      }
    }
    return merge(spans);
  }
}

const finderOf = (texts: Iterable<string>): TextFinder | null => {
  const finder = new TextFinder(texts);
  return finder.isEmpty ? null : finder;
};

function collect(secret: unknown, anywhere: Set<string>, alone: Set<string>): void {
  // Do not use recursion, so that a secret with any depth of nesting works.
  const values = [secret];
  while (values.length > 0) {
    const value = values.pop();
    if (typeof value === 'string') {
      for (const text of [value, ...value.split(/\r?\n/).map(line => line.trim())]) {
        if (text.length >= LONG_CHARS) anywhere.add(text);
        else if (text.length >= MIN_CHARS) alone.add(text);
      }
    } else if (typeof value === 'number' && String(value).length >= MIN_CHARS) alone.add(String(value));
    else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) values.push(inner);
    }
  }
}

function encodedForms(values: ReadonlySet<string>): Set<string> {
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
  // In HTML forms, a space is encoded as a plus.
  const inForm = value.includes(' ') ? [value.replaceAll(' ', '+')] : [];
  return [...inForm, ...base64Forms(bytes), hex, hex.toUpperCase()];
}

/**
 * Returns the base64 forms of a value. Base64 encodes three bytes in four characters, so the form depends on how many
 * bytes are before the value. A character at an end that also contains bits of a neighbouring byte is left out. So at
 * each end up to four bits of the value may not be redacted.
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

function merge(spans: TextSpan[]): TextSpan[] {
  const inOrder: TextSpan[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = inOrder.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else inOrder.push(span);
  }
  return inOrder;
}
