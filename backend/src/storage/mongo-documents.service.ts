import { Injectable } from '@nestjs/common';
import { ObjectId } from 'bson';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../common/entity.js';
import { ApiError } from '../common/errors.js';
import { toList } from '../common/list-query.js';
import { DocumentCountsService } from './document-counts.service.js';
import { toRelaxed } from './extended-json.js';
import { growthByUpdate } from './growth.js';
import { MAX_TIME_MS, MongoAccessService, READ, readFor, WRITE } from './mongo-access.service.js';
import type { IdType, MongoGetQuery, MongoListQuery } from './mongo-documents.dto.js';
import { checkSortValues, type MongoSort, nextOf, placeAfter } from './mongo-pages.js';
import { fieldsToSet, idCandidates, parseFilter, parseMongoSelect, parseMongoSort } from './mongo-queries.js';

/** A document as relaxed Extended JSON. */
export type MongoDocument = Record<string, unknown>;

type Fields = Record<string, unknown>;
type Collection = mongo.Collection;

/** A page of larger documents than this together is refused: it would have to be held in memory whole. */
export const PAGE_BYTES = 16 * 1024 * 1024;
/** Where the values of the sorted fields stand in a document while its page is read. */
const SORT_VALUES = '\u0001sort values';

/** What the panel and the Joint API do with single documents of a user. */
@Injectable()
export class MongoDocumentsService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly counts: DocumentCountsService,
  ) {}

  /** The answer as JSON text, because it is that already: each document is written once, and measured. */
  async list(ownerId: string, dbId: string, name: string, query: MongoListQuery): Promise<string> {
    const projection = parseMongoSelect(query.select);
    const sort = parseMongoSort(query.sort);
    const filter = parseFilter(query.filter);
    const place = placeAfter(query, sort);
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      const from = place ? { $and: [filter, place.beyond] } : filter;
      const { items, last } = await readPage(collection, from, sort, projection, query, place !== null);
      // The last page tells how many there are.
      const isAll = last === null && (items.length > 0 || query.skip === 0);
      const counted =
        place?.counted ?? (isAll ? query.skip + items.length : await this.counts.upToCap(collection, filter));
      const next = last === null ? undefined : nextOf(query, sort, counted, last);
      const { items: _, ...list } = toList(query, counted, [], next);
      return `${JSON.stringify(list).slice(0, -1)},"items":[${items.join(',')}]}`;
    });
  }

  async get(ownerId: string, dbId: string, name: string, docId: string, query: MongoGetQuery): Promise<MongoDocument> {
    const projection = parseMongoSelect(query.select);
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      for (const _id of idCandidates(docId, query.id_type, hex => new ObjectId(hex))) {
        const document = await collection.findOne(byId(_id), { ...READ, ...(projection ? { projection } : {}) });
        if (document) return toRelaxed(document);
      }
      throw noDocument(docId);
    });
  }

  async update(
    ownerId: string,
    dbId: string,
    name: string,
    docId: string,
    idType: IdType | undefined,
    body: Record<string, unknown>,
  ): Promise<MongoDocument> {
    const fields = fieldsToSet(body, docId);
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      const _id = await findId(collection, docId, idType);
      const filter = byId(_id);
      const update = { $set: fields };
      await this.access.growBy(ownerId, room =>
        growthByUpdate({ collection, filter, update, isMany: false, room, maxTimeMS: MAX_TIME_MS }),
      );
      const document = await collection.findOneAndUpdate(filter, update, { ...WRITE, returnDocument: 'after' });
      if (!document) throw noDocument(docId);
      return toRelaxed(document);
    });
  }

  async delete(ownerId: string, dbId: string, name: string, docId: string, idType?: IdType): Promise<DeletedDto> {
    return this.access.onCollection(ownerId, dbId, name, async collection => {
      const _id = await findId(collection, docId, idType);
      const { deletedCount } = await collection.deleteOne(byId(_id), WRITE);
      this.access.shrunk(ownerId);
      return { deleted: { documents: deletedCount } };
    });
  }
}

/** An `_id` may be of any type. */
const byId = (_id: unknown) => ({ _id }) as mongo.Filter<mongo.BSON.Document>;

const noDocument = (docId: string): ApiError =>
  new ApiError('not_found', `There is no document with the _id ${docId.slice(0, 100)} in this collection.`);

async function findId(collection: Collection, docId: string, idType: IdType | undefined): Promise<unknown> {
  for (const _id of idCandidates(docId, idType, hex => new ObjectId(hex))) {
    if (await collection.findOne(byId(_id), { ...READ, projection: { _id: 1 } })) return _id;
  }
  throw noDocument(docId);
}

/** The documents of a page as JSON texts, and what the last has in the fields of the sort if more of them follow. */
async function readPage(
  collection: Collection,
  filter: Fields,
  sort: MongoSort,
  projection: Record<string, 0 | 1> | null,
  { limit, skip }: { limit: number; skip: number },
  isContinued: boolean,
): Promise<{ items: string[]; last: unknown[] | null }> {
  const byIdOnly = Object.keys(sort).length === 1;
  const batch = { ...readFor(filter), batchSize: limit + 1 };
  const cursor = byIdOnly
    ? collection.find(filter, { ...batch, sort, skip, limit: limit + 1, ...(projection ? { projection } : {}) })
    : collection.aggregate<mongo.BSON.Document>(sortedPage(filter, sort, projection, limit + 1, skip), batch);
  const items: string[] = [];
  let size = 0;
  let last: unknown[] = [];
  // Batch by batch: to wait for each document would cost more than to read it.
  while (await cursor.hasNext()) {
    for (const document of cursor.readBufferedDocuments()) {
      if (items.length === limit) {
        await cursor.close();
        return { items, last };
      }
      last = byIdOnly ? [document._id] : document[SORT_VALUES];
      if (!byIdOnly) {
        if (isContinued) checkSortValues(sort, last);
        delete document[SORT_VALUES];
      }
      const text = JSON.stringify(toRelaxed(document));
      size += text.length;
      if (size > PAGE_BYTES) throw await tooLarge(cursor);
      items.push(text);
    }
  }
  return { items, last: null };
}

/** As an aggregation, because a projection that leaves fields out cannot add the values of the sorted ones. */
const sortedPage = (
  filter: Fields,
  sort: MongoSort,
  projection: Record<string, 0 | 1> | null,
  limit: number,
  skip: number,
): Fields[] => [
  { $match: filter },
  { $sort: sort },
  ...(skip > 0 ? [{ $skip: skip }] : []),
  { $limit: limit },
  { $set: { [SORT_VALUES]: Object.keys(sort).map(name => `$${name}`) } },
  ...(projection ? [{ $project: isInclusive(projection) ? { ...projection, [SORT_VALUES]: 1 } : projection }] : []),
];

const isInclusive = (projection: Record<string, 0 | 1>): boolean => Object.values(projection).includes(1);

/** The rest is not read. */
export async function tooLarge(cursor: { close(): Promise<void> }): Promise<ApiError> {
  await cursor.close();
  return new ApiError(
    'payload_too_large',
    `These documents are more than ${PAGE_BYTES} bytes. Ask for fewer with limit, or for less of each with select.`,
  );
}
