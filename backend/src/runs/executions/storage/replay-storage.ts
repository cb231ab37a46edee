import type { PostgresAnswer, PostgresFrame, QueueOperation, StorageAnswer, StorageOperation } from '@trawl/contracts';
import { Binary, deserialize, serialize } from 'bson';
import { REPLAY_PREFIX, ROWS_PREFIX } from '../../../data/storage/mongodb/collection-names.js';

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

/**
 * Returns the operation of a replay as it is carried out: the rows that it pushes go to a collection of their own. Other
 * writes are not made, and get an answer at once.
 */
export function storageOfReplay(
  op: StorageOperation,
  skriptId: string,
): { op: StorageOperation } | { answer: StorageAnswer } {
  if (op.collection === ROWS_PREFIX + skriptId) return { op: { ...op, collection: REPLAY_PREFIX + skriptId } };
  const unmade = op.method === 'insertMany' ? { inserted_count: documentsIn(op) } : UNMADE[op.method];
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

/** Returns the answer to an insert of a replay, which is not made; null for other statements, which may only read. */
export const postgresOfReplay = ({ op, table }: PostgresFrame): PostgresAnswer | null =>
  op.method === 'query' && table !== undefined
    ? { result: { fields: [], rows: [], row_count: 0, command: 'INSERT', table } }
    : null;

/** Counts the documents of an insert, each of which begins with its size. */
function documentsIn({ args }: StorageOperation): number {
  let docs: Uint8Array | undefined;
  try {
    docs = deserialize(args, { promoteBuffers: true }).docs;
  } catch {
    return 0;
  }
  if (!(docs instanceof Uint8Array)) return 0;
  const view = new DataView(docs.buffer, docs.byteOffset, docs.byteLength);
  let count = 0;
  for (let at = 0; at + 4 <= docs.length; count += 1) {
    const bytes = view.getInt32(at, true);
    if (bytes < 5) break;
    at += bytes;
  }
  return count;
}
