import { Injectable } from '@nestjs/common';
import { deserialize } from 'bson';
import type { mongo } from 'mongoose';
import { MongoAccessService } from '../access/mongo-access.service.js';
import { MongoErrorsService } from '../mongodb/mongo-errors.service.js';
import { hasPattern } from '../values/operators.js';

type Fields = Record<string, unknown>;

/** Number of documents that MongoDB sends at once. Few are garbage before the garbage collector moves them. */
const BATCH_DOCUMENTS = 200;
/** Time limits for reading a whole collection: in general, and for a regular expression, which could take any time. */
const MAX_TIME_MS = 3_600_000;
const PATTERN_MAX_TIME_MS = 30_000;

export interface BatchQuery {
  filter: Fields;
  /** Dotted paths of the fields to read; null for whole documents. */
  fields: string[] | null;
}

/** Reads whole collections, batch by batch. */
@Injectable()
export class DocumentBatchesService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly errors: MongoErrorsService,
  ) {}

  /**
   * Reads the documents in MongoDB's own order. While the caller uses a batch, MongoDB already sends the next one.
   * @param signal ends the reading when it aborts.
   * @throws {ApiError} 404 for a database of another user, 400 for an invalid name, 422 or 503 from MongoDB.
   */
  async *read(
    ownerId: string,
    dbId: string,
    name: string,
    { filter, fields }: BatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Fields[]> {
    const cursor = await this.access.onCollection(ownerId, dbId, name, async collection =>
      collection.find(filter, {
        batchSize: BATCH_DOCUMENTS,
        // If the driver decoded the documents, its caches would chain the batches, and the heap would grow by 1 KB each.
        raw: true,
        maxTimeMS: hasPattern(filter) ? PATTERN_MAX_TIME_MS : MAX_TIME_MS,
        ...(fields ? { projection: projectionOf(fields) } : {}),
      }),
    );
    const hasNext = () => this.errors.translate(() => cursor.hasNext());
    const close = () => void closeQuietly(cursor);
    signal.addEventListener('abort', close, { once: true });
    try {
      signal.throwIfAborted();
      let more = hasNext();
      while (await more) {
        const batch = cursor.readBufferedDocuments().map(bytes => deserialize(bytes as unknown as Uint8Array));
        more = hasNext();
        // If the caller never asks for the next batch, no one awaits this promise.
        more.catch(() => {});
        yield batch;
        // A closed cursor looks as if it had no more documents.
        signal.throwIfAborted();
      }
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', close);
      await closeQuietly(cursor);
    }
  }
}

/** Ignores errors: if the server is gone, its cursors are closed, too. */
const closeQuietly = (cursor: mongo.FindCursor): Promise<void> => cursor.close().catch(() => {});

function projectionOf(fields: string[]): Record<string, 0 | 1> {
  const projection = Object.fromEntries(fields.map(path => [path, 1 as const]));
  return '_id' in projection ? projection : { ...projection, _id: 0 };
}
