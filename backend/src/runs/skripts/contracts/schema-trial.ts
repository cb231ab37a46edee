import { dereference, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import { callWithin, isTimeout } from './bounded-call.js';

/** Processor time. A schema of usual size takes a few milliseconds. */
const TRIAL_MS = 1_000;
const SAMPLES = [{}, [], '', 'text', 0, true, null];
/** Long enough that an exponential search does not end in time, and short enough for any other. */
const REPEATED = 48;

export const draftOf = ({ $schema }: { $schema?: unknown }): SchemaDraft =>
  String($schema).includes('draft-07') ? '7' : '2020-12';

/** The validator adds fields to the schema. */
export const copyOf = (schema: object): Schema => JSON.parse(JSON.stringify(schema)) as Schema;

/**
 * Tries each part of a schema on small values, and each regular expression on long repetitions of its own characters.
 * Returns null, or why it cannot check rows, as the end of a sentence that begins with the schema.
 */
export function trialProblem(schema: object): string | null {
  try {
    callWithin(TRIAL_MS, () => tryAll(copyOf(schema), draftOf(schema)));
    return null;
  } catch (error) {
    if (isTimeout(error)) {
      return `takes longer than ${TRIAL_MS} ms of processor time for small rows; simplify its regular expressions, such as (a+)+, and its references`;
    }
    if (error instanceof RangeError) return 'has a $ref that leads to itself without going into a field or a list';
    return `cannot be used: ${(error as Error).message.split('\n')[0]?.slice(0, 200)}`;
  }
}

function tryAll(schema: Schema, draft: SchemaDraft): void {
  const parts = dereference(schema);
  for (const part of Object.values(parts)) {
    for (const sample of SAMPLES) validate(sample, part, draft, parts);
  }
  for (const pattern of patternsIn(schema)) tryPattern(pattern);
}

/** Every text that may be a regular expression. A property that is named `pattern` costs only time. */
function* patternsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    if (name === 'pattern' && typeof part === 'string') yield part;
    if (name === 'patternProperties' && typeof part === 'object' && part !== null) yield* Object.keys(part);
    yield* patternsIn(part);
  }
}

function tryPattern(pattern: string): void {
  const regex = new RegExp(pattern, 'u');
  for (const character of new Set(`${pattern}a0 `)) regex.test(`${character.repeat(REPEATED)}\u0001`);
}
