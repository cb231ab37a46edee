import { createHash } from 'node:crypto';
import { ObjectId } from 'bson';
import type { Collection } from '../collection.js';

/** Identifies a try of a request. */
export interface RequestOfRows {
  readonly id: string;
  /** How often it was tried before. */
  readonly retries: number;
}

/** A request that runs had taken which died before they settled it. */
export interface LeftRequest extends RequestOfRows {
  /** Ids of these runs. */
  leftBy: string[];
  /** When the first of them took it, in ms since 1970 by the clock of the database. */
  takenAt: number;
}

const ORIGIN_BYTES = 5;
const ORIGIN_AT = 7;
/** Where ObjectId has its counter. */
const COUNTER_AT = 9;
/** How much the clock of a worker may be behind that of the database. */
const CLOCKS_MS = 10 * 60_000;
const DELETED_AT_ONCE = 1_000;

/** The last bytes of the ids of rows that come from this try of a request. */
export const originOf = ({ id, retries }: RequestOfRows): Buffer =>
  createHash('sha256').update(`${id} ${retries}`).digest().subarray(0, ORIGIN_BYTES);

/**
 * Makes the id of a row. Ids of a process are in the order in which it makes them: first comes the second, then ObjectId's
 * counter, then the origin. Without an origin, the id ends with ObjectId's random bytes.
 */
export function rowId(second: number, origin?: Buffer): ObjectId {
  const made = ObjectId.generate(second);
  const ending = origin ?? made.subarray(4, COUNTER_AT);
  return new ObjectId(Buffer.concat([made.subarray(0, 4), made.subarray(COUNTER_AT), ending]));
}

/** Deletes the rows that dead runs have stored for requests which they did not settle. */
export async function deleteRowsOf(requests: LeftRequest[], rows: Collection): Promise<void> {
  const origins = new Set(requests.map(request => originOf(request).toString('hex')));
  const runs = [...new Set(requests.flatMap(({ leftBy }) => leftBy))];
  const since = Math.floor((Math.min(...requests.map(({ takenAt }) => takenAt)) - CLOCKS_MS) / 1_000);
  const filter = { _run: { $in: runs }, _id: { $gte: ObjectId.createFromTime(since) } };
  const left: ObjectId[] = [];
  for await (const { _id } of rows.find(filter, { projection: { _id: 1 } })) {
    if (_id instanceof ObjectId && origins.has(_id.toHexString().slice(2 * ORIGIN_AT))) left.push(_id);
  }
  for (let from = 0; from < left.length; from += DELETED_AT_ONCE) {
    await rows.deleteMany({ _id: { $in: left.slice(from, from + DELETED_AT_ONCE) } });
  }
}
