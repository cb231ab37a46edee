const MARK = '[secret]';

/** Shorter values would be found in too much that is none; and no text grows by what replaces them. */
const MIN_CHARS = MARK.length;

/** Takes the values of an input secret out of texts, as well as can be: a value that the skript changed is not known. */
export class Redaction {
  readonly #pattern: RegExp | null;

  /** `secret` is JSON text. */
  constructor(secret: string | null) {
    const values = new Set<string>();
    if (secret !== null) collect(JSON.parse(secret), values);
    // Longest first, so that a value that contains another is taken out whole. In JSON text a value stands escaped.
    const forms = [...values].flatMap(value => [value, JSON.stringify(value).slice(1, -1)]);
    const patterns = [...new Set(forms)].sort((a, b) => b.length - a.length).map(escaped);
    this.#pattern = patterns.length > 0 ? new RegExp(patterns.join('|'), 'g') : null;
  }

  apply(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, MARK) : text;
  }
}

function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string' && value.length >= MIN_CHARS) into.add(value);
  else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner, into);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
