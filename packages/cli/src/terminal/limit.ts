import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';

/** Returns the number of `--limit`; infinity without it. */
export function readLimit(limit: string | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new Failure(`--limit must be a whole number of at least 1; you gave ${limit}.`, EXIT.usage);
}
