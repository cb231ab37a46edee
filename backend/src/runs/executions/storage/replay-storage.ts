import {
  type PostgresAnswer,
  type QueueOperation,
  rowOfChange,
  type StorageAnswer,
  type StorageOperation,
} from '@trawl/contracts';
import { Binary, deserialize, serialize } from 'bson';
import { KV_PREFIX, REPLAY_PREFIX, ROWS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';
import { parseArguments } from '../../../data/storage/runs/storage-arguments.js';
import type { DocumentBytes } from '../../../data/storage/values/bson-bytes.js';

/** The results of writes that a replay does not make. */
const UNCHANGED = { matched_count: 0, modified_count: 0, upserted_count: 0, upserted_id: null };
const UNMADE: Partial<Record<StorageOperation['method'], object>> = {
  upsertRows: UNCHANGED,
  updateOne: UNCHANGED,
  updateMany: UNCHANGED,
  replaceOne: UNCHANGED,
  deleteOne: { deleted_count: 0 },
  deleteMany: { deleted_count: 0 },
  createIndex: { name: 'replay' },
};
const SENDING = new Set<StorageOperation['method']>(['insertMany', 'updateOne', 'updateMany', 'replaceOne']);

/** Documents of a call: BSON, one after another. */
interface SentRows {
  bytes: Buffer;
  count: number;
}

/**
 * Returns the documents that a call inserts, or the row that stands for what it changes: see `rowOfChange`. Null for other
 * calls.
 *
 * @throws {StorageFailure} as MongoDB's service does for wrong arguments
 */
export function sentRows(op: StorageOperation): SentRows | null {
  if (!SENDING.has(op.method)) return null;
  const args = parseArguments(op);
  if (op.method !== 'insertMany') return { bytes: Buffer.from(serialize(rowOfChange(args) ?? {})), count: 1 };
  const { bytes, positions } = args.docs as DocumentBytes;
  return { bytes, count: positions.length };
}

/** Whether a collection is one of the user, and not that of `dataset.push` or of `kv`. */
export const isOfUser = (collection: string, skriptId: string): boolean =>
  collection !== ROWS_PREFIX + skriptId && collection !== KV_PREFIX + skriptId;

/**
 * Returns the operation of a replay as it is carried out: the rows that it pushes go to a collection of their own. Other
 * writes are not made, and get an answer at once.
 *
 * @param sent number of documents that `sentRows` returns
 */
export function storageOfReplay(
  op: StorageOperation,
  skriptId: string,
  sent: number,
): { op: StorageOperation } | { answer: StorageAnswer } {
  if (op.collection === ROWS_PREFIX + skriptId) return { op: { ...op, collection: REPLAY_PREFIX + skriptId } };
  const unmade = op.method === 'insertMany' ? { inserted_count: sent } : UNMADE[op.method];
  return unmade ? { answer: { result: serialize(unmade) } } : { op };
}

/** The answers to calls on queues, which a replay does not change: it adds what is known, and takes nothing. */
const ANSWERS_OF_QUEUES = {
  queueAdd: ({ urls }: { urls?: unknown[] }) => ({ states: new Binary(Buffer.alloc(urls?.length ?? 0, 1)) }),
  queueTake: () => ({ requests: [], leased: 0, due_ms: null }),
  queueSettle: () => ({}),
  queueCounts: () => ({ waiting: 0, taken: 0, done: 0, failed: 0 }),
  queueDrop: () => ({}),
};

export function queueOfReplay({ method, args }: QueueOperation): StorageAnswer {
  try {
    return { result: serialize(ANSWERS_OF_QUEUES[method](deserialize(args))) };
  } catch {
    return { error: { code: 'storage_rejected', message: 'The arguments are not BSON.' } };
  }
}

/** The answer to `postgres.insertMany` in a replay, which inserts nothing. */
export const insertOfReplay = (rows: number, table: string): PostgresAnswer => ({
  result: { fields: [], rows: [], row_count: rows, command: 'INSERT', table },
});
