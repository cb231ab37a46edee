import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { deserialize } from 'bson';
import { callWithin, isTimeout } from '../../../skripts/contracts/bounded-call.js';
import { copyOf, draftOf } from '../../../skripts/contracts/schema-trial.js';

/** Time that all checks of a run may take together, and those of one call. The rest of the rows is not checked. */
const RUN_MS = 1_000;
const CALL_MS = 25;
/** A single row that takes longer ends the checks of its run. */
const ROW_MS = 100;
const MAX_REFUSALS = 10;
const MAX_EXAMPLES = 3;
const EXAMPLE_BYTES = 500;
const SET_BY_PLATFORM = ['_id', '_run', '_at', '_key', '_first', '_attempt', '_partial'];

/** A reason why a schema refuses rows. */
export interface Refusal {
  /** Null for whole rows. */
  field: string | null;
  reason: string;
  rows: number;
  examples: object[];
}

/** Result of checking the rows of a run against the schema of its contract. */
export interface SchemaSummary {
  /** Number of rows that were checked. */
  checked: number;
  refused: Refusal[];
  /** Why the checks ended early. */
  problem?: string;
}

/** Checks rows against a JSON Schema while they arrive, in bounded time. It never throws. */
export class SchemaChecker {
  readonly #validator: Validator;
  readonly #refusals = new Map<string, Refusal>();
  #checked = 0;
  #leftMs = RUN_MS;
  #problem: string | undefined;

  /** @param schema a schema that has passed `checkContract` */
  constructor(schema: object) {
    this.#validator = new Validator(copyOf(schema), draftOf(schema));
  }

  /** @param rows each as BSON */
  check(rows: readonly Buffer[]): void {
    if (this.#problem !== undefined || this.#leftMs <= 0 || rows.length === 0) return;
    const start = performance.now();
    const until = start + Math.min(CALL_MS, this.#leftMs);
    try {
      callWithin(CALL_MS + ROW_MS, () => {
        for (const row of rows) {
          if (performance.now() > until) return;
          this.#checkRow(row);
        }
      });
    } catch (error) {
      this.#problem = isTimeout(error) ? `a row took longer than ${ROW_MS} ms` : (error as Error).message.slice(0, 200);
    }
    this.#leftMs -= performance.now() - start;
  }

  summary(): SchemaSummary {
    return {
      checked: this.#checked,
      refused: [...this.#refusals.values()],
      ...(this.#problem !== undefined && { problem: this.#problem }),
    };
  }

  #checkRow(bytes: Buffer): void {
    const row = deserialize(bytes, { bsonRegExp: true });
    for (const name of SET_BY_PLATFORM) delete row[name];
    const value = JSON.parse(JSON.stringify(row)) as object;
    const { valid, errors } = this.#validator.validate(value);
    this.#checked++;
    const error = errors.at(-1);
    if (!valid && error) this.#addRefusal(error, bytes.length <= EXAMPLE_BYTES ? value : null);
  }

  #addRefusal({ instanceLocation, keyword, error }: OutputUnit, example: object | null): void {
    const field = fieldAt(instanceLocation);
    const key = `${keyword} ${field}`;
    const refusal = this.#refusals.get(key) ?? { field, reason: error.slice(0, 200), rows: 0, examples: [] };
    refusal.rows++;
    if (example && refusal.examples.length < MAX_EXAMPLES) refusal.examples.push(example);
    if (this.#refusals.size < MAX_REFUSALS) this.#refusals.set(key, refusal);
  }
}

/** Turns a JSON Pointer of the validator, such as `#/shops/0/name`, into the path of a field. */
function fieldAt(pointer: string): string | null {
  const steps = pointer.split('/').slice(1);
  const names = steps.filter(step => !/^\d+$/.test(step));
  if (names.length === 0) return null;
  return names
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
    .slice(0, 200);
}
