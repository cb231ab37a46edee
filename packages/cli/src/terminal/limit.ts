import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';

/** Returns the number of `--limit`; infinity without it. */
export function readLimit(limit: string | undefined, max = Number.POSITIVE_INFINITY): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(limit) && Number(limit) <= max) return Number(limit);
  const range = max === Number.POSITIVE_INFINITY ? 'of at least 1' : `between 1 and ${max}`;
  throw new Failure(`--limit must be a whole number ${range}; you gave ${limit}.`, EXIT.usage);
}
