import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { deserialize } from 'bson';
import { LRUCache } from 'lru-cache';
import { documentsIn } from '../../../data/storage/values/rows-in-bson.js';
import { callWithin, isTimeout, processorMs } from './bounded-call.js';
import { type Refusal, Refusals } from './refusals.js';
import { copyOf, draftOf } from './schema-trial.js';

/** Processor time. A row that takes more ends the checks of its run. */
const ROW_MS = 400;
const EXAMPLE_BYTES = 500;
const MAX_VALIDATORS = 16;
const SET_BY_PLATFORM = ['_id', '_run', '_at', '_key', '_first', '_attempt', '_partial'];

/** Rows, and the schema that they must have. */
export interface RowsToCheck {
  /** JSON of a schema that has passed `checkContract`. */
  schema: string;
  /** BSON documents, one after another. */
  rows: Uint8Array;
  /** No row is begun after so much processor time. */
  maxMs: number;
}

export interface CheckedRows {
  /** Number of rows that were checked. */
  checked: number;
  refusals: Refusal[];
  /** Why the check ended early; null if it did not. */
  problem: string | null;
  /** Processor time that the check took. */
  ms: number;
}

const validators = new LRUCache<string, Validator>({ max: MAX_VALIDATORS });

/** Checks rows against a JSON Schema, in bounded time. Never throws. */
export function checkRows({ schema, rows, maxMs }: RowsToCheck): CheckedRows {
  const start = processorMs();
  let refusals = new Refusals();
  let checked = 0;
  let problem: string | null = null;
  try {
    callWithin(maxMs + ROW_MS, () => {
      // An attempt may have been interrupted.
      if (checked > 0) validators.delete(schema);
      refusals = new Refusals();
      checked = 0;
      const validator = validatorOf(schema);
      const [begin, processorBegin] = [performance.now(), processorMs()];
      for (const row of documentsIn(rows)) {
        // The clock is much cheaper to read than the processor time.
        if (performance.now() - begin > maxMs && processorMs() - processorBegin > maxMs) return;
        checkRow(validator, row, refusals);
        checked++;
      }
    });
  } catch (error) {
    // The interrupted validator may be inconsistent.
    validators.delete(schema);
    problem = isTimeout(error)
      ? `a row took longer than ${ROW_MS} ms of processor time`
      : (error as Error).message.slice(0, 200);
  }
  return { checked, refusals: refusals.all, problem, ms: processorMs() - start };
}

function validatorOf(schema: string): Validator {
  const known = validators.get(schema);
  if (known) return known;
  const parsed = JSON.parse(schema) as object;
  const made = new Validator(copyOf(parsed), draftOf(parsed));
  validators.set(schema, made);
  return made;
}

function checkRow(validator: Validator, bytes: Uint8Array, refusals: Refusals): void {
  const row = deserialize(bytes, { bsonRegExp: true });
  for (const name of SET_BY_PLATFORM) delete row[name];
  const value = JSON.parse(JSON.stringify(row)) as object;
  const { valid, errors } = validator.validate(value);
  const error = errors.at(-1);
  if (!valid && error) refusals.add(refusalOf(error, bytes.length <= EXAMPLE_BYTES ? [value] : []));
}

const refusalOf = ({ instanceLocation, keyword, error }: OutputUnit, examples: object[]): Refusal => ({
  keyword,
  field: fieldAt(instanceLocation),
  reason: error.slice(0, 200),
  rows: 1,
  examples,
});

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
