import { viewOf } from './bson-elements.js';
import { DistinctCounter } from './distinct-counter.js';
import { type Example, ExampleRows } from './example-rows.js';
import type { FieldSummary } from './field-profile.js';
import { hashOfRow } from './hashes.js';
import { type FieldBudget, RowFields } from './row-fields.js';

/** The profile reads each of this many rows with this many values, and only some of the later ones. */
const READ_ALL = { rows: 1_000, values: 30_000 };
/** The profile reads one in 16 rows beyond this number, and one in 4 before. */
const READ_SOME = 5_000;
/** 2^11 registers, which are right to about 2 %. */
const DISTINCT_BITS = 11;
/** A smaller share of duplicates may be none. */
const COUNTER_ERROR = 0.05;

/** Profile of the rows that a run has stored in one dataset, collection or table. */
export interface TargetSummary {
  /** `dataset`, `mongodb:<database>.<collection>` or `postgresql:<table>` */
  target: string;
  rows: number;
  /** The number of rows from which the figures of fields come. Older profiles lack it. */
  read?: number;
  /** Share of the rows that are the same as an earlier one. */
  duplicates: number;
  fields: FieldSummary[];
  /** Whether the rows have more fields than a profile holds. */
  has_more_fields: boolean;
}

/**
 * The profile of the rows of a run: what they are like, in bounded time and memory. Every row is counted and compared
 * with the others. If there are many rows, it reads only some of them in full.
 */
export class RowProfile {
  readonly #fields: RowFields;
  readonly #distinct = new DistinctCounter(DISTINCT_BITS);
  #rows = 0;
  #read = 0;
  #nextRead = 0;
  #random = 1;
  readonly #examples: ExampleRows;

  /** @param reserved names of fields at the start of a row that the platform sets */
  constructor(
    readonly target: string,
    reserved: readonly string[],
    budget: FieldBudget,
  ) {
    this.#fields = new RowFields(reserved, budget);
    this.#examples = new ExampleRows(budget, () => this.#nextRandom());
  }

  get rows(): number {
    return this.#rows;
  }

  /**
   * Adds one row: well-formed BSON. Returns whether it was read in full.
   *
   * @param view of `bytes`
   */
  add(bytes: Buffer, from: number, to: number, view = viewOf(bytes)): boolean {
    const start = this.#fields.start(view, from, to);
    const row = { bytes, from, to };
    const hash = hashOfRow(view, start, to);
    this.#distinct.add(hash);
    this.#examples.addHash(hash, row);
    if (this.#rows++ !== this.#nextRead) return false;
    this.#examples.addRead(row, this.#fields.read(view, start, to));
    this.#read++;
    const isAll = this.#rows < READ_ALL.rows && this.#fields.valuesRead < READ_ALL.values;
    const step = isAll ? 1 : this.#rows < READ_SOME ? 4 : 16;
    this.#nextRead += step === 1 ? 1 : 1 + (this.#nextRandom() % (2 * step - 1));
    return true;
  }

  /** Copies what it keeps of the rows. Call it before their bytes change or should be freed. */
  endCall(): void {
    this.#examples.endCall();
  }

  summary(): TargetSummary {
    const { summaries, hasMore } = this.#fields.summary(this.#read);
    const duplicates = this.#rows === 0 ? 0 : Math.max(0, 1 - this.#distinct.count / this.#rows);
    return {
      target: this.target,
      rows: this.#rows,
      read: this.#read,
      duplicates: duplicates < COUNTER_ERROR ? 0 : Math.round(duplicates * 1_000) / 1_000,
      fields: summaries,
      has_more_fields: hasMore,
    };
  }

  /** Some of the rows. */
  get examples(): readonly Example[] {
    return this.#examples.all;
  }

  #nextRandom(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random >>> 8;
  }
}
