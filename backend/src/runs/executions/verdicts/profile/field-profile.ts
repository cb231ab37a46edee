import { DistinctCounter } from './distinct-counter.js';
import { type FigureMemory, WORD_BYTES } from './figure-memory.js';
import { FREQUENT_WORDS, FrequentValue } from './frequent-value.js';
import { HISTOGRAM_WORDS, NumberHistogram } from './number-histogram.js';

/** The types of values that a verdict tells apart. */
export const VALUE_TYPES = ['text', 'number', 'boolean', 'date', 'object', 'list', 'other'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];
export const TYPE = { text: 0, number: 1, boolean: 2, date: 3, object: 4, list: 5, other: 6 } as const;

/** 2^5 registers, which are right to about 18 %. */
const DISTINCT_BITS = 5;
const DISTINCT_WORDS = 2 ** DISTINCT_BITS / WORD_BYTES;
const QUANTILES = [0.05, 0.5, 0.95];

/** Figures of the values that a run has stored in one field. Shares are between 0 and 1. */
export interface FieldSummary {
  /** Names joined by dots. */
  path: string;
  /** Share of the rows in which the field has a value. An empty text is none. */
  filled: number;
  /** Share of each type among the values. */
  types: Partial<Record<ValueType, number>>;
  /** The number of different values, as an estimate. This and the following are missing if the run has no memory left. */
  distinct?: number;
  /** Share of the most frequent value. */
  top?: number;
  /** 5, 50 and 95 % of the numbers. */
  numbers?: number[];
  /** The same of the lengths of texts, in bytes. */
  lengths?: number[];
}

/** So many rows with each type of value, and without a value, are examples. */
const EXAMPLES = 3;
const EMPTY = VALUE_TYPES.length;

/** Collects what a run stores in one field, in 124 bytes, and 192 more for numbers and for lengths of texts. */
export class FieldProfile {
  /** The number of values of each type, from `#types` on. */
  readonly #words: Int32Array;
  readonly #types: number;
  readonly #distinct: DistinctCounter | undefined;
  readonly #frequent: FrequentValue | undefined;
  #numbers: NumberHistogram | undefined;
  #lengths: NumberHistogram | undefined;
  /** The latest row that has a value. */
  #latestRow = 0;
  /** The latest row that has the field, with or without a value. */
  reachedRow = 0;
  /** The number of rows that were not read to the field, and so may have a value. */
  #unknown = 0;
  /** The number of examples of each type, and of rows without a value, in two bits each. */
  #examples = 0;

  constructor(
    readonly path: string,
    private readonly memory: FigureMemory,
  ) {
    const { words, at: types } = memory.take(VALUE_TYPES.length) ?? {
      words: new Int32Array(VALUE_TYPES.length),
      at: 0,
    };
    this.#words = words;
    this.#types = types;
    const part = memory.take(DISTINCT_WORDS + FREQUENT_WORDS);
    if (!part) return;
    const { bytes, at } = part;
    this.#distinct = new DistinctCounter(DISTINCT_BITS, bytes, at * WORD_BYTES);
    this.#frequent = new FrequentValue({ ...part, at: at + DISTINCT_WORDS });
  }

  /**
   * @param size of a number its value, of a text its length; NaN for other types
   * @param row number of the row
   * @returns whether few rows before have had a value of this type
   */
  add(type: number, hash: number, size: number, row: number): boolean {
    this.#latestRow = row;
    this.#addFigures(type, hash, size);
    return this.#isExample(type);
  }

  /** Whether the row has no value here, as few rows before it. Ask only once for a row. */
  isEmptyIn(row: number): boolean {
    return this.#latestRow !== row && this.#isExample(EMPTY);
  }

  /** Notes that a row was not read to its end. */
  addCutRow(row: number): void {
    if (this.reachedRow !== row) this.#unknown++;
  }

  #isExample(state: number): boolean {
    const shift = 2 * state;
    if (((this.#examples >> shift) & 3) === EXAMPLES) return false;
    this.#examples += 1 << shift;
    return true;
  }

  #addFigures(type: number, hash: number, size: number): void {
    (this.#words[this.#types + type] as number)++;
    this.#distinct?.add(hash);
    this.#frequent?.add(hash);
    if (Number.isNaN(size)) return;
    if (type === TYPE.number) {
      this.#numbers ??= this.#newHistogram();
      this.#numbers?.add(size);
    } else {
      this.#lengths ??= this.#newHistogram();
      this.#lengths?.add(size);
    }
  }

  #newHistogram(): NumberHistogram | undefined {
    const part = this.memory.take(HISTOGRAM_WORDS);
    return part ? new NumberHistogram(part) : undefined;
  }

  /** @param rows the number of rows that may have had the field */
  summary(rows: number): FieldSummary {
    const counts = this.#words.subarray(this.#types, this.#types + VALUE_TYPES.length);
    const filled = counts.reduce((sum, count) => sum + count, 0);
    const types: FieldSummary['types'] = {};
    for (const [index, type] of VALUE_TYPES.entries()) {
      const count = counts[index] as number;
      if (count > 0) types[type] = rounded(count / filled);
    }
    return {
      path: this.path,
      filled: rounded(Math.min(1, filled / (rows - this.#unknown))),
      types,
      ...(this.#distinct && { distinct: this.#distinct.count }),
      ...(this.#frequent && { top: rounded(this.#frequent.count / filled) }),
      ...(this.#numbers && { numbers: this.#numbers.quantiles(QUANTILES).map(significant) }),
      ...(this.#lengths && { lengths: this.#lengths.quantiles(QUANTILES).map(significant) }),
    };
  }
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;
const significant = (value: number): number => Number(value.toPrecision(4));
