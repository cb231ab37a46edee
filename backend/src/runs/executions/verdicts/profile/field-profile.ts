import { DistinctCounter } from './distinct-counter.js';
import { FrequentValue } from './frequent-value.js';
import { NumberHistogram } from './number-histogram.js';

/** The types of values that a verdict tells apart. */
export const VALUE_TYPES = ['text', 'number', 'boolean', 'date', 'object', 'list', 'other'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];
export const TYPE = { text: 0, number: 1, boolean: 2, date: 3, object: 4, list: 5, other: 6 } as const;

/** 2^7 registers, which are right to about 9 %. */
const DISTINCT_BITS = 7;
const QUANTILES = [0.05, 0.5, 0.95];

/** Figures of the values that a run has stored in one field. Shares are between 0 and 1. */
export interface FieldSummary {
  /** Names joined by dots. */
  path: string;
  /** Share of the rows in which the field has a value. An empty text is none. */
  filled: number;
  /** Share of each type among the values. */
  types: Partial<Record<ValueType, number>>;
  /** The number of different values, as an estimate; missing for fields beyond the first ones. */
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

/** Collects what a run stores in one field, in about a kilobyte. */
export class FieldProfile {
  readonly #types = new Uint32Array(VALUE_TYPES.length);
  readonly #distinct: DistinctCounter | undefined;
  readonly #frequent: FrequentValue | undefined;
  #numbers: NumberHistogram | undefined;
  #lengths: NumberHistogram | undefined;
  /** The latest row that has a value. */
  #latestRow = 0;
  /** The number of examples of each type, and of rows without a value, in two bits each. */
  #examples = 0;

  /** @param isFull without it, only the filled share and the types are kept */
  constructor(
    readonly path: string,
    private readonly isFull: boolean,
  ) {
    if (!isFull) return;
    this.#distinct = new DistinctCounter(DISTINCT_BITS);
    this.#frequent = new FrequentValue();
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

  #isExample(state: number): boolean {
    const shift = 2 * state;
    if (((this.#examples >> shift) & 3) === EXAMPLES) return false;
    this.#examples += 1 << shift;
    return true;
  }

  #addFigures(type: number, hash: number, size: number): void {
    (this.#types[type] as number)++;
    if (!this.isFull) return;
    this.#distinct?.add(hash);
    this.#frequent?.add(hash);
    if (Number.isNaN(size)) return;
    if (type === TYPE.number) {
      this.#numbers ??= new NumberHistogram();
      this.#numbers.add(size);
    } else {
      this.#lengths ??= new NumberHistogram();
      this.#lengths.add(size);
    }
  }

  /** @param rows the number of rows that may have had the field */
  summary(rows: number): FieldSummary {
    const filled = this.#types.reduce((sum, count) => sum + count, 0);
    const types: FieldSummary['types'] = {};
    for (const [index, type] of VALUE_TYPES.entries()) {
      const count = this.#types[index] as number;
      if (count > 0) types[type] = rounded(count / filled);
    }
    return {
      path: this.path,
      filled: rounded(Math.min(1, filled / rows)),
      types,
      ...(this.#distinct && { distinct: this.#distinct.count }),
      ...(this.#frequent && { top: rounded(this.#frequent.top.count / filled) }),
      ...(this.#numbers && { numbers: this.#numbers.quantiles(QUANTILES).map(significant) }),
      ...(this.#lengths && { lengths: this.#lengths.quantiles(QUANTILES).map(significant) }),
    };
  }
}

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;
const significant = (value: number): number => Number(value.toPrecision(4));
