import { type Refusal, Refusals } from '../../../skripts/contracts/refusals.js';
import type { CheckedRows, RowsToCheck } from '../../../skripts/contracts/row-check.js';

/** Time that all checks of a run may take together, and those of one call. The rest of the rows is not checked. */
const RUN_MS = 1_000;
const CALL_MS = 100;

/** Result of checking the rows of a run against the schema of its contract. */
export interface SchemaSummary {
  /** Number of rows that were checked. */
  checked: number;
  refused: Omit<Refusal, 'keyword'>[];
  /** Why the checks ended early. */
  problem?: string;
}

/** Checks rows of a run against a JSON Schema while they arrive, in bounded time, one call after the other. It never throws. */
export class SchemaChecker {
  readonly #schema: string;
  readonly #refusals = new Refusals();
  #checked = 0;
  #leftMs = RUN_MS;
  #problem: string | null = null;
  #last = Promise.resolve();

  /**
   * @param schema a schema that has passed `checkContract`
   * @param checkRows checks the rows of a call; never throws
   */
  constructor(
    schema: object,
    private readonly checkRows: (task: RowsToCheck) => Promise<CheckedRows>,
  ) {
    this.#schema = JSON.stringify(schema);
  }

  /**
   * Checks the rows of one call, after those of earlier calls.
   * @param rows each as BSON
   */
  check(rows: readonly Buffer[]): Promise<void> {
    if (rows.length > 0) this.#last = this.#last.then(() => this.#check(rows));
    return this.#last;
  }

  /** Call it after the last check has ended. */
  summary(): SchemaSummary {
    return {
      checked: this.#checked,
      refused: this.#refusals.all.map(({ keyword: _, ...refusal }) => refusal),
      ...(this.#problem !== null && { problem: this.#problem }),
    };
  }

  async #check(rows: readonly Buffer[]): Promise<void> {
    if (this.#problem !== null || this.#leftMs <= 0) return;
    const maxMs = Math.min(CALL_MS, this.#leftMs);
    const { checked, refusals, problem, ms } = await this.checkRows({
      schema: this.#schema,
      rows: joined(rows),
      maxMs,
    });
    for (const refusal of refusals) this.#refusals.add(refusal);
    this.#checked += checked;
    this.#problem = problem;
    this.#leftMs -= ms;
  }
}

/** Returns a copy with memory of its own, which can be passed to a thread. */
function joined(rows: readonly Buffer[]): Uint8Array {
  const bytes = new Uint8Array(rows.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const row of rows) {
    bytes.set(row, at);
    at += row.length;
  }
  return bytes;
}
