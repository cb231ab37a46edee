import { Injectable } from '@nestjs/common';
import { ObjectId } from 'bson';
import type { mongo } from 'mongoose';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError } from '../../../platform/common/errors.js';
import { headOf, listText } from '../../../platform/http/lists/list-query.js';
import { MongoAccessService, readFor } from '../access/mongo-access.service.js';
import { MAX_TIME_MS, READ, WRITE } from '../mongodb/call-options.js';
import { checkExists } from '../mongodb/existing-collection.js';
import { estimateUpdateGrowth } from '../usage/estimate-growth.js';
import { toRelaxed } from '../values/extended-json.js';
import { toPlain } from '../values/plain-json.js';
import { DocumentCountsService } from './document-counts.service.js';
import { csvLines, csvRow } from './documents-csv.js';
import { checkSortValues, type MongoSort, makeCursor, parseCursor } from './mongo-cursor.js';
import type { IdType, JsonFormat, MongoGetQuery, MongoListQuery, MongoPageQuery } from './mongo-documents.dto.js';
import {
  fieldsToSet,
  idCandidates,
  parseFilter,
  parseMongoSelect,
  parseMongoSort,
  selectedFields,
} from './mongo-parameters.js';

/** A document as JSON. */
export type MongoDocument = Record<string, unknown>;

type Fields = Record<string, unknown>;
type Collection = mongo.Collection;

interface Page {
  filter: Fields;
  sort: MongoSort;
  projection: Record<string, 0 | 1> | null;
  limit: number;
  skip: number;
}

/** Size limit for all documents of a page together, because the whole page is held in memory. */
export const PAGE_BYTES = 16 * 1024 * 1024;
/** Name of a temporary field that holds the values of the sorted fields. */
const SORT_VALUES = '\u0001sort values';

/** Lists, reads, updates and deletes single documents. */
@Injectable()
export class MongoDocumentsService {
  constructor(
    private readonly access: MongoAccessService,
    private readonly counts: DocumentCountsService,
  ) {}

  /**
   * Returns the list as JSON text. Each document is converted to text only once, and the texts also give the size of
   * the page.
   */
  async list(ownerId: string, dbId: string, name: string, query: MongoListQuery): Promise<string> {
    const { format, ...page } = query;
    const { items, counted, next } = await this.texts(ownerId, dbId, name, page, format, true);
    return listText(headOf(page, counted, next), items.join(','));
  }

  /**
   * Returns a page of documents, each as JSON text, and the cursor of the next page if there is one.
   * @param mustExist whether a missing collection is a 404 instead of an empty page.
   */
  texts(
    ownerId: string,
    dbId: string,
    name: string,
    query: MongoPageQuery,
    format: JsonFormat,
    mustExist: boolean,
  ): Promise<{ items: string[]; counted: number; next: string | undefined }> {
    const toFields = jsonOf(format);
    return this.page(ownerId, dbId, name, query, mustExist, document => {
      const text = JSON.stringify(toFields(document));
      return { item: text, chars: text.length };
    });
  }

  /**
   * Returns the list as lines of CSV, and the cursor of the next page if there is one.
   * @param mustExist as for `texts`.
   */
  async csv(
    ownerId: string,
    dbId: string,
    name: string,
    query: MongoPageQuery,
    mustExist: boolean,
  ): Promise<{ lines: Iterable<string[]>; next: string | undefined }> {
    const { items, next } = await this.page(ownerId, dbId, name, query, mustExist, document => {
      const item = csvRow(document);
      return { item, chars: [...item].reduce((sum, [field, cell]) => sum + field.length + cell.length, 0) };
    });
    return { lines: csvLines(items, selectedFields(query.select)), next };
  }

  /** Returns a page of documents that `convert` has converted, and the cursor of the next page if there is one. */
  async page<Item>(
    ownerId: string,
    dbId: string,
    name: string,
    query: MongoPageQuery,
    mustExist: boolean,
    convert: Convert<Item>,
  ): Promise<{ items: Item[]; counted: number; next: string | undefined }> {
    const projection = parseMongoSelect(query.select);
    const sort = parseMongoSort(query.sort);
    const filter = parseFilter(query.filter);
    const position = parseCursor(query, sort);
    return this.access.readCollection(ownerId, dbId, name, async (collection, db) => {
      const { limit, skip } = query;
      const pageFilter = position ? { $and: [filter, position.beyond] } : filter;
      const page: Page = { filter: pageFilter, sort, projection, limit, skip };
      const { items, last } = await readPage(collection, page, position !== null, convert);
      if (mustExist && items.length === 0) await checkExists(db, name);
      // If no page follows, the total is known from this page, and counting is not needed.
      const isLastPage = last === null && (items.length > 0 || query.skip === 0);
      const counted =
        position?.counted ?? (isLastPage ? query.skip + items.length : await this.counts.upToCap(collection, filter));
      return { items, counted, next: last === null ? undefined : makeCursor(query, sort, counted, last) };
    });
  }

  async get(ownerId: string, dbId: string, name: string, docId: string, query: MongoGetQuery): Promise<MongoDocument> {
    const projection = parseMongoSelect(query.select);
    return this.access.readCollection(ownerId, dbId, name, async collection => {
      for (const _id of idCandidates(docId, query.id_type, hex => new ObjectId(hex))) {
        const document = await collection.findOne(byId(_id), { ...READ, ...(projection ? { projection } : {}) });
        if (document) return jsonOf(query.format)(document);
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
      await this.access.reserveEstimate(ownerId, room =>
        estimateUpdateGrowth({ collection, filter, update, isMany: false, room, maxTimeMS: MAX_TIME_MS }),
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
      this.access.markChanged(ownerId);
      return { deleted: { documents: deletedCount } };
    });
  }
}

/** Makes a filter for an `_id` of any type. The cast is needed because the driver's types allow only an ObjectId. */
const byId = (_id: unknown) => ({ _id }) as mongo.Filter<mongo.BSON.Document>;

const noDocument = (docId: string): ApiError =>
  new ApiError('not_found', `This collection has no document with the _id ${docId.slice(0, 100)}.`);

async function findId(collection: Collection, docId: string, idType: IdType | undefined): Promise<unknown> {
  for (const _id of idCandidates(docId, idType, hex => new ObjectId(hex))) {
    if (await collection.findOne(byId(_id), { ...READ, projection: { _id: 1 } })) return _id;
  }
  throw noDocument(docId);
}

/** Returns the conversion of documents to a format. */
export const jsonOf = (format: JsonFormat) => (format === 'relaxed' ? toPlain : toRelaxed);

/** Converts a document, and says how much memory the result needs. */
export type Convert<Item> = (document: Fields) => { item: Item; chars: number };

/**
 * Reads a page.
 * @returns its converted documents, and in `last` the values of the sorted fields in the last document, or null if
 * no documents follow.
 */
async function readPage<Item>(
  collection: Collection,
  { filter, sort, projection, limit, skip }: Page,
  isContinued: boolean,
  convert: Convert<Item>,
): Promise<{ items: Item[]; last: unknown[] | null }> {
  const byIdOnly = Object.keys(sort).length === 1;
  const batch = { ...readFor(filter), batchSize: limit + 1 };
  const cursor = byIdOnly
    ? collection.find(filter, { ...batch, sort, skip, limit: limit + 1, ...(projection ? { projection } : {}) })
    : collection.aggregate<mongo.BSON.Document>(sortedPage(filter, sort, projection, limit + 1, skip), batch);
  const items: Item[] = [];
  let size = 0;
  let last: unknown[] = [];
  // Read whole batches: waiting for each single document would take longer than reading it.
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
      const { item, chars } = convert(document);
      size += chars;
      if (size > PAGE_BYTES) throw await tooLarge(cursor);
      items.push(item);
    }
  }
  return { items, last: null };
}

/**
 * Builds the pipeline for a sorted page. `find` cannot be used, because a projection that excludes fields cannot add
 * the values of the sorted fields.
 */
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

/** Closes the cursor. Returns the error for a response that is larger than `PAGE_BYTES`. */
export async function tooLarge(cursor: { close(): Promise<void> }): Promise<ApiError> {
  await cursor.close();
  return new ApiError(
    'payload_too_large',
    `The documents exceed ${PAGE_BYTES} bytes. Lower limit, or select fewer fields.`,
  );
}
