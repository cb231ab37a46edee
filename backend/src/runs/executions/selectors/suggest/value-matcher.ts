import type { Scalar } from './old-values.js';
import { plain } from './page-elements.js';
import { dayIn, folded, hasCurrency, numbersIn, patternOf } from './value-texts.js';

/** `same`: it is an old value. `like`: it has the shape of the old values. */
export type Grade = 'same' | 'like';

type Kind = 'number' | 'date' | 'url' | 'text';

/** More different texts are free text, which no list of patterns describes. */
const MAX_PATTERNS = 20;
/** A choice such as `in_stock` may be written with more words. */
const MAX_CHOICES = 20;
const MIN_CHOICE_CHARS = 4;
/** Numbers are like the old ones if they are at most this many times larger or smaller. */
const NUMBER_FACTOR = 4;

/** Values in the forms in which texts are compared with them. */
export interface KnownValues {
  numbers: Set<number>;
  texts: Set<string>;
  days: Set<string>;
}

/** Tells whether texts of a page are old values, or look like them. */
export class ValueMatcher {
  readonly #kind: Kind;
  readonly #all: KnownValues;
  readonly #numbers: [least: number, most: number];
  readonly #hasDecimals: boolean;
  readonly #lengths: [least: number, most: number];
  readonly #words: [least: number, most: number];
  /** Patterns of the old texts; null for free text. */
  readonly #patterns: Set<string> | null;
  /** The longest text that can match. */
  readonly maxChars: number;

  constructor(values: readonly Scalar[]) {
    this.#kind = kindOf(values);
    this.#all = this.known(values);
    const numbers = [...this.#all.numbers];
    this.#numbers = [
      numbers.reduce((a, b) => Math.min(a, b), Infinity),
      numbers.reduce((a, b) => Math.max(a, b), -Infinity),
    ];
    this.#hasDecimals = numbers.filter(value => !Number.isInteger(value)).length * 2 > numbers.length;
    const texts = values.map(String);
    this.#lengths = middle(texts.map(({ length }) => length));
    this.#words = middle(texts.map(text => text.split(' ').length));
    const patterns = new Set(texts.map(patternOf));
    this.#patterns = patterns.size <= Math.min(MAX_PATTERNS, Math.max(1, texts.length / 3)) ? patterns : null;
    this.maxChars = Math.max(60, texts.reduce((most, { length }) => Math.max(most, length), 0) * 2);
  }

  /** Returns values in the forms in which texts are compared. */
  known(values: Iterable<Scalar>): KnownValues {
    const known: KnownValues = { numbers: new Set(), texts: new Set(), days: new Set() };
    for (const value of values) {
      if (typeof value === 'number') known.numbers.add(value);
      else {
        known.texts.add(this.#kind === 'url' ? pathOf(value) : folded(value));
        if (hasCurrency(value)) for (const number of numbersIn(value)) known.numbers.add(number);
        const day = this.#kind === 'date' ? dayIn(value) : null;
        if (day) known.days.add(day);
      }
    }
    return known;
  }

  /** @param expected the values that this page should show; null if that is unknown */
  grade(text: string, expected: KnownValues | null): Grade | null {
    if (text === '') return null;
    if (this.#isSame(text, expected ?? this.#all)) return 'same';
    return this.#isLike(text) ? 'like' : null;
  }

  #isSame(text: string, { numbers, texts, days }: KnownValues): boolean {
    if (this.#kind === 'url') return texts.has(pathOf(text));
    if (numbers.size > 0 && numbersIn(text).some(number => numbers.has(number))) return true;
    const day = days.size > 0 ? dayIn(text) : null;
    if (day && days.has(day)) return true;
    if (texts.size === 0) return false;
    const compared = folded(text);
    if (texts.has(compared)) return true;
    if (this.#all.texts.size > MAX_CHOICES) return false;
    return [...texts].some(
      choice =>
        choice.length >= MIN_CHOICE_CHARS && text.length < choice.length * 3 && compared.startsWith(`${choice} `),
    );
  }

  #isLike(text: string): boolean {
    switch (this.#kind) {
      case 'number': {
        if (this.#hasDecimals && !/\d[.,]\d/.test(text) && !hasCurrency(text)) return false;
        const [least, most] = this.#numbers;
        return numbersIn(text).some(number => number >= least / NUMBER_FACTOR && number <= most * NUMBER_FACTOR);
      }
      case 'date':
        return dayIn(text) !== null;
      case 'url':
        return this.#patterns?.has(patternOf(text)) ?? false;
      case 'text':
        if (this.#patterns) return this.#patterns.has(patternOf(text));
        return (
          isBetween(text.length, this.#lengths) && isBetween(text.split(' ').length, this.#words) && /\p{L}/u.test(text)
        );
    }
  }
}

function kindOf(values: readonly Scalar[]): Kind {
  const share = (has: (text: string) => boolean): boolean =>
    values.filter(value => typeof value === 'string' && has(value)).length * 2 > values.length;
  if (values.filter(value => typeof value === 'number').length * 2 > values.length) return 'number';
  if (share(text => /^(https?:\/\/|\/[^ ]*$)/.test(text))) return 'url';
  if (share(text => dayIn(text) !== null && numbersIn(text).length === 0)) return 'date';
  return 'text';
}

/** The path of a URL: a new design may move to another host. */
const pathOf = (text: string): string => plain(text).replace(/^https?:\/\/[^/]+/, '');

const isBetween = (value: number, [least, most]: [number, number]): boolean => value >= least && value <= most;

/** The middle 90 % of numbers. */
function middle(numbers: number[]): [number, number] {
  const sorted = numbers.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? 0;
  return [at(0.05), at(0.95)];
}
