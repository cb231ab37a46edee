import { setImmediate } from 'node:timers/promises';
import { markerStart } from '../protocol/cut-text.js';
import { isJson } from '../protocol/is-json.js';
import { readings } from './escaped-text.js';
import { GrowingFinder } from './growing-finder.js';
import { printedTexts } from './printed-texts.js';
import { sessionTexts } from './session-texts.js';
import { mergeSpans, TextFinder, type TextSpan } from './text-finder.js';

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
 * longest values, or the oldest of sessions, are not redacted in encoded form.
 */
const ENCODED_CHARS = 128 * 1024;

/** Maximum length of all values of sessions together. Beyond this, the oldest are forgotten. */
const SESSION_CHARS = 128 * 1024;
/** Longer values of sessions are recognised by their beginning, and redacted up to the end of the token. */
const SESSION_VALUE_CHARS = 16 * 1024;
/** A longer text is redacted in pieces of this length, so that it blocks the worker for a tenth of a second at most. */
const PIECE_CHARS = 512 * 1024;
/** Pieces overlap by this much. No value of a session is longer in any of its forms. */
const OVERLAP_CHARS = 256 * 1024;
/** What is before a piece tells whether it begins inside an escape or a word. */
const CONTEXT_CHARS = 256;
const REST_OF_TOKEN = /[\w.~+/=%-]*/y;

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
  /** Values of the input secret. */
  readonly #secret: ReadonlySet<string>;
  readonly #anywhere: TextFinder | null = null;
  readonly #alone: TextFinder | null = null;
  /** Values of sessions, the oldest first. */
  readonly #session = new Set<string>();
  #sessionChars = 0;
  readonly #sessionFinder = new GrowingFinder(() => {
    const values = [...this.#session].reverse();
    return [...values, ...encodedForms(values)];
  });

  /** @param secret JSON text */
  constructor(secret: string | null) {
    const anywhere = new Set<string>();
    const alone = new Set<string>();
    if (secret !== null) collect(JSON.parse(secret), anywhere, alone);
    this.#secret = new Set([...alone, ...anywhere]);
    const shortestFirst = [...this.#secret].sort((a, b) => a.length - b.length);
    for (const form of encodedForms(shortestFirst)) (form.length < LONG_CHARS ? alone : anywhere).add(form);
    this.#anywhere = finderOf(anywhere);
    this.#alone = finderOf(alone);
  }

  /**
   * Redacts the values of a session from now on, too. Forgets the oldest values if all have too many characters together.
   *
   * @param value JSON text, which a run may have written
   */
  addSession(value: string): void {
    // The texts that matter most are added last, so they are forgotten last.
    for (const text of sessionTexts(value, SESSION_VALUE_CHARS).reverse()) this.#addValue(text);
  }

  /** Redacts the name and password of an address from now on, too. A short password is redacted only beside the name. */
  addAddress(url: string): void {
    const { username, password } = new URL(url);
    if (password === '') return;
    const [name, plain] = [username, password].map(decodeURIComponent) as [string, string];
    for (const text of [`${name}:${plain}`, `${username}:${password}`, plain]) {
      if (text.length >= LONG_CHARS) this.#addValue(text);
    }
  }

  #addValue(value: string): void {
    if (this.#session.delete(value)) this.#sessionChars -= value.length;
    else for (const text of [value, ...formsOf(value)]) this.#sessionFinder.add(text);
    this.#session.add(value);
    this.#sessionChars += value.length;
    for (const oldest of this.#session) {
      if (this.#sessionChars <= SESSION_CHARS) break;
      this.#session.delete(oldest);
      this.#sessionChars -= oldest.length;
    }
  }

  /** Redacts a text, for a record that the run has redacted without the newest values of sessions. Null without values. */
  get ofSessions(): ((text: string) => Promise<string>) | null {
    return this.#session.size === 0 ? null : text => this.#longText(text);
  }

  async #longText(text: string): Promise<string> {
    if (text.length <= PIECE_CHARS + OVERLAP_CHARS) return this.text(text);
    const spans: TextSpan[] = [];
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      const from = Math.max(0, at - CONTEXT_CHARS);
      const to = Math.min(text.length, at + PIECE_CHARS + OVERLAP_CHARS);
      for (const { start, end } of this.#find(text.slice(from, to), false)) {
        const isCutToken = from + end === to && end - start >= SESSION_VALUE_CHARS;
        spans.push({ start: from + start, end: isCutToken ? endOfToken(text, to) : from + end });
      }
      await setImmediate();
    }
    return withPlaceholders(text, mergeSpans(spans));
  }

  /** Whether there are no values to redact. */
  get isEmpty(): boolean {
    return this.#secret.size === 0 && this.#session.size === 0;
  }

  /** Redacts a text. If the text was cut, also redacts characters at its end that may be the beginning of a value. */
  text(text: string): string {
    if (this.isEmpty) return text;
    const cutAt = markerStart(text);
    return withPlaceholders(text, this.#find(text.slice(0, cutAt ?? text.length), cutAt !== null));
  }

  /** Redacts strings, keys and whole numbers of a JSON text. The result is JSON text again. */
  json(json: string): string {
    if (this.isEmpty) return json;
    if (!isJson(json)) return this.text(json);
    // Replace each string and number separately instead of parsing the whole text. This works at any depth of nesting,
    // and numbers keep all their digits.
    return json.replace(JSON_SCALARS, scalar => {
      if (!scalar.startsWith('"'))
        return this.#secret.has(scalar) || this.#session.has(scalar) ? `"${PLACEHOLDER}"` : scalar;
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
      for (const finder of [this.#anywhere, this.#alone, this.#sessionFinder]) {
        if (!finder) continue;
        const { spans: found, partialLength } = finder.find(reading.text);
        for (const { start, end } of found) {
          if (finder === this.#alone && !standsAlone(reading.text, start, end)) continue;
          const isBeginning = finder === this.#sessionFinder && end - start >= SESSION_VALUE_CHARS;
          spans.push({ start: reading.at(start), end: reading.at(isBeginning ? endOfToken(reading.text, end) : end) });
        }
        if (isCut && partialLength > 0) spans.push({ start: reading.at(length - partialLength), end: text.length });
      }
    }
    return mergeSpans(spans);
  }
}

function withPlaceholders(text: string, spans: TextSpan[]): string {
  let from = 0;
  let redacted = '';
  for (const { start, end } of spans) {
    redacted += text.slice(from, start) + PLACEHOLDER;
    from = end;
  }
  return redacted + text.slice(from);
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
      for (const text of printedTexts(value)) {
        if (text.length >= LONG_CHARS) anywhere.add(text);
        else if (text.length >= MIN_CHARS) alone.add(text);
      }
    } else if (typeof value === 'number' && String(value).length >= MIN_CHARS) alone.add(String(value));
    else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) values.push(inner);
    }
  }
}

/** Returns the encoded forms of as many values as memory allows, in their order. */
function encodedForms(values: readonly string[]): Set<string> {
  const forms = new Set<string>();
  let chars = 0;
  for (const value of values) {
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

function endOfToken(text: string, from: number): number {
  REST_OF_TOKEN.lastIndex = from;
  REST_OF_TOKEN.test(text);
  return REST_OF_TOKEN.lastIndex;
}
