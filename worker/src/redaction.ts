import { TextFinder } from './text-finder.js';

const MARK = '[secret]';

/** Shorter values would be found in too much that is none; and no text grows by what replaces them. */
const MIN_CHARS = MARK.length;

/** The texts and numbers of a JSON text; a text is matched whole, so that nothing inside it is taken for a number. */
const JSON_SCALARS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** Takes the values of an input secret out of texts, as well as can be: a value that the skript changed is not known. */
export class Redaction {
  readonly #values = new Set<string>();
  readonly #finder: TextFinder | null;

  /** `secret` is JSON text. */
  constructor(secret: string | null) {
    if (secret !== null) collect(JSON.parse(secret), this.#values);
    this.#finder = this.#values.size > 0 ? new TextFinder(this.#values) : null;
  }

  text(text: string): string {
    const places = this.#finder?.find(text) ?? [];
    if (places.length === 0) return text;
    let from = 0;
    let redacted = '';
    for (const { start, end } of places) {
      redacted += text.slice(from, start) + MARK;
      from = end;
    }
    return redacted + text.slice(from);
  }

  /** JSON text stays JSON text: values are taken out of its texts, keys included, and for a whole number that is one. */
  json(json: string): string {
    if (this.#finder === null) return json;
    if (!isJson(json)) return this.text(json);
    // Piece by piece and not by parsing and writing all of it: no depth is too deep, no number loses digits.
    return json.replace(JSON_SCALARS, scalar => {
      if (!scalar.startsWith('"')) return this.#values.has(scalar) ? `"${MARK}"` : scalar;
      const text: string = JSON.parse(scalar);
      const redacted = this.text(text);
      return redacted === text ? scalar : JSON.stringify(redacted);
    });
  }
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string' && value.length >= MIN_CHARS) into.add(value);
  else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner, into);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
