import { Injectable } from '@nestjs/common';
import { deserialize, Long } from 'bson';
import type { mongo } from 'mongoose';
import { MongoAccessService } from '../access/mongo-access.service.js';
import { MongoErrorsService } from '../mongodb/mongo-errors.service.js';
import { hasPattern } from '../values/operators.js';
import { groupStages } from './group-stages.js';
import { checkGroups, type GroupDto, MAX_GROUPS } from './groups.dto.js';

type Fields = Record<string, unknown>;

/** Number of documents that MongoDB sends at once. */
const BATCH_DOCUMENTS = 200;
/** The same for ids alone. */
const BATCH_IDS = 2_000;
/** Time limits for reading a whole collection: in general, and for a regular expression, which could take any time. */
const MAX_TIME_MS = 3_600_000;
const PATTERN_MAX_TIME_MS = 30_000;
/** Time limits for making groups. */
const GROUPS_MAX_TIME_MS = 30_000;
const GROUPS_PATTERN_MAX_TIME_MS = 2_000;

export interface BatchQuery {
  filter: Fields;
  /** Dotted paths of the fields to read; null for whole documents. */
  fields: string[] | null;
  /** Fields that whole documents lack. */
  omit?: string[];
  /** Reads in the order of `_id`, so that each document comes once although others are stored meanwhile. */
  byId?: boolean;
}

/**
 * Reads whole collections, batch by batch. It sends the commands of a cursor itself, because a cursor of the driver
 * makes objects for the fields of each document, which outlive young collections of garbage (decision 144).
 */
@Injectable()
export class DocumentBatchesService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly errors: MongoErrorsService,
  ) {}

  /**
   * Reads the documents in MongoDB's own order, as BSON. While the caller uses a batch, MongoDB already sends the next one.
   * @param signal ends the reading when it aborts.
   * @throws {ApiError} 404 for a database of another user, 400 for an invalid name, 422 or 503 from MongoDB.
   */
  read(
    ownerId: string,
    dbId: string,
    name: string,
    { filter, fields, omit, byId }: BatchQuery,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array[]> {
    const batchSize = byId ? BATCH_IDS : BATCH_DOCUMENTS;
    const find = {
      find: name,
      filter,
      batchSize,
      maxTimeMS: hasPattern(filter) ? PATTERN_MAX_TIME_MS : MAX_TIME_MS,
      ...(byId ? { sort: { _id: 1 }, allowDiskUse: true } : {}),
      ...(fields ? { projection: projectionOf(fields) } : {}),
      ...(omit && !fields ? { projection: Object.fromEntries(omit.map(name => [name, 0])) } : {}),
    };
    return this.#read({ ownerId, dbId, name }, find, batchSize, signal);
  }

  /**
   * Reads the groups of the documents that match the filter, as BSON. A group can have megabytes, so they are never all
   * in memory.
   * @throws {ApiError} as `read`, and 422 if there are too many groups.
   */
  async *readGroups(
    ownerId: string,
    dbId: string,
    name: string,
    { group, filter }: { group: GroupDto; filter: Fields },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array[]> {
    const aggregate = {
      aggregate: name,
      pipeline: groupStages(group, filter, MAX_GROUPS.export + 1),
      cursor: { batchSize: BATCH_DOCUMENTS },
      maxTimeMS: hasPattern(filter) ? GROUPS_PATTERN_MAX_TIME_MS : GROUPS_MAX_TIME_MS,
    };
    let count = 0;
    for await (const batch of this.#read({ ownerId, dbId, name }, aggregate, BATCH_DOCUMENTS, signal)) {
      count += batch.length;
      checkGroups(count);
      yield batch;
    }
  }

  async *#read(
    { ownerId, dbId, name }: { ownerId: string; dbId: string; name: string },
    command: Fields,
    batchSize: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array[]> {
    const db = await this.access.readCollection(ownerId, dbId, name, async (_collection, database) => database);
    const send = (next: Fields): Promise<Batch> =>
      this.errors.translate(async () => batchOf(await db.command(next, { raw: true })));
    let id = Long.ZERO;
    const close = () => closeQuietly(db, name, id);
    signal.addEventListener('abort', close, { once: true });
    try {
      signal.throwIfAborted();
      let next = send(command);
      do {
        const batch = await next.catch(error => {
          // A closed cursor fails, too.
          signal.throwIfAborted();
          throw error;
        });
        id = batch.id;
        if (!id.isZero()) next = send({ getMore: id, collection: name, batchSize });
        // If the caller never asks for the next batch, no one awaits this promise.
        next.catch(() => {});
        if (batch.documents.length > 0) yield batch.documents;
        signal.throwIfAborted();
      } while (!id.isZero());
    } finally {
      signal.removeEventListener('abort', close);
      await close();
    }
  }
}

interface Batch {
  /** Identifies the cursor; zero after the last batch. */
  id: Long;
  documents: Uint8Array[];
}

/** Takes a reply of `find` or `getMore` apart, whose field `cursor` is still BSON. */
function batchOf({ cursor }: Fields): Batch {
  const fieldsAsRaw = { firstBatch: true, nextBatch: true };
  const { id, firstBatch, nextBatch } = deserialize(cursor as Uint8Array, { fieldsAsRaw, promoteLongs: false });
  return { id, documents: firstBatch ?? nextBatch };
}

/** Ignores errors: if the server is gone, its cursors are closed, too. */
async function closeQuietly(db: mongo.Db, name: string, id: Long): Promise<void> {
  if (!id.isZero()) await db.command({ killCursors: name, cursors: [id] }).catch(() => {});
}

function projectionOf(fields: string[]): Record<string, 0 | 1> {
  const projection = Object.fromEntries(fields.map(path => [path, 1 as const]));
  return '_id' in projection ? projection : { ...projection, _id: 0 };
}
