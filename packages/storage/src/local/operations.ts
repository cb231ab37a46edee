import { Aggregator, ProcessingMode, Query } from 'mingo';
import type { Document, Sort } from '../protocol/document.js';
import { StorageError } from '../protocol/storage-error.js';
import { LOCAL } from '../this-run.js';
import type { LocalCollection } from './local-collection.js';
import { type IndexSpec, valuesAt } from './unique-index.js';
import { checkUpdate, replacement, type Update, updated, upserted } from './updates.js';
import { checkComparable, rejected, textOf, toDocument, toQuery } from './values.js';

/** Returns the documents of another collection of the same database. */
export type CollectionOf = (name: string) => Document[];

type Fields = Record<string, unknown>;

const ROW_KEYS: IndexSpec = { name: '_first_1__key_1', keys: { _first: 1, _key: 1 }, unique: true, sparse: true };

const OPTIONS = { scriptEnabled: false, processingMode: ProcessingMode.CLONE_INPUT };

/**
 * Performs an operation, with the arguments and results of the protocol, on the documents in memory.
 *
 * @param args JSON of Extended JSON
 * @param run stands for the id of the run's first attempt in rows of local runs, which all have the same id
 * @throws StorageError; the errors of mingo
 */
export function perform(
  collection: LocalCollection,
  method: string,
  args: Fields,
  { collectionOf, run }: { collectionOf: CollectionOf; run: string },
): object {
  switch (method) {
    case 'find':
      return { docs: find(collection, args), cursor: null };
    case 'aggregate':
      return { docs: aggregate(collection, args, collectionOf), cursor: null };
    case 'countDocuments':
      return { count: matching(collection, filterOf(args)).length };
    case 'distinct':
      return { values: distinct(collection, args.field as string, filterOf(args)) };
    case 'insertMany':
      return { inserted_count: insert(collection, args.docs as unknown[], args.ordered === true) };
    case 'upsertRows':
      return upsertRows(collection, args, run);
    case 'updateOne':
    case 'updateMany':
      return update(collection, args, method === 'updateMany');
    case 'replaceOne':
      return replace(collection, args);
    case 'deleteOne':
      return { deleted_count: remove(collection, matching(collection, filterOf(args)).slice(0, 1)) };
    case 'deleteMany':
      return { deleted_count: remove(collection, matching(collection, filterOf(args))) };
    case 'createIndex':
      return { name: createIndex(collection, args) };
    default:
      throw rejected(`Local files do not support ${method}.`);
  }
}

function filterOf({ filter }: Fields): Document {
  const query = toQuery<Document>(filter);
  checkComparable(query);
  return query;
}

function matching(collection: LocalCollection, filter: Document): Document[] {
  const query = new Query(filter, OPTIONS);
  return collection.candidates(filter).filter(document => query.test(document));
}

function find(collection: LocalCollection, args: Fields): unknown[] {
  const filter = filterOf(args);
  const projection = args.projection && toQuery<Document>(args.projection);
  const cursor = new Query(filter, OPTIONS).find(collection.candidates(filter), projection as never);
  if (args.sort) cursor.sort(toQuery<Sort>(args.sort));
  const [skip, limit] = [args.skip, args.limit].map(count => (count === undefined ? 0 : toQuery<number>(count)));
  if (skip) cursor.skip(skip);
  if (limit) cursor.limit(limit);
  return cursor.all();
}

function aggregate(collection: LocalCollection, args: Fields, collectionResolver: CollectionOf): unknown[] {
  const pipeline = toQuery<Document[]>(args.pipeline);
  checkComparable(pipeline);
  return new Aggregator(pipeline, { ...OPTIONS, collectionResolver }).run(collection.documents);
}

function distinct(collection: LocalCollection, field: string, filter: Document): unknown[] {
  const values = matching(collection, filter).flatMap(document => valuesAt(document, field.split('.')));
  return [...new Map(values.map(value => [textOf([value]), value])).values()];
}

function insert(collection: LocalCollection, docs: unknown[], isOrdered: boolean): number {
  let failure: StorageError | undefined;
  let stored = 0;
  for (const { _id, ...fields } of docs.map(toDocument)) {
    try {
      collection.put({ _id, ...fields });
      stored += 1;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      failure ??= error;
      if (isOrdered) break;
    }
  }
  // Like MongoDB, keep the documents before the error, and without `ordered` also those after it.
  collection.save();
  if (failure) throw new StorageError(failure.code, failure.message, stored);
  return stored;
}

/** Stores rows. Each with a key replaces the row of this run with the same key, and keeps its `_id`. */
function upsertRows(collection: LocalCollection, args: Fields, run: string): object {
  const { docs, keys } = args as { docs: unknown[]; keys: (string | null)[] };
  collection.createIndex(ROW_KEYS);
  let replaced = 0;
  for (const [index, { _id, ...fields }] of docs.map(toDocument).entries()) {
    const _key = keys[index] ?? null;
    const _first = fields._run === LOCAL ? run : fields._run;
    const [current] = _key === null ? [] : matching(collection, { _first, _key });
    if (current) replaced += 1;
    const added = _key === null ? {} : { _key, _first, _attempt: 1 };
    collection.put({ _id: current?._id ?? _id, ...fields, ...added }, current);
  }
  return { matched_count: replaced, modified_count: replaced, upserted_count: docs.length - replaced };
}

function update(collection: LocalCollection, args: Fields, isMany: boolean): object {
  const filter = filterOf(args);
  const changes = toQuery<Update>(args.update);
  checkUpdate(changes);
  const matched = matching(collection, filter).slice(0, isMany ? undefined : 1);
  if (matched.length === 0 && args.upsert) return addUpserted(collection, upserted(filter, changes));
  let modified = 0;
  for (const document of matched) modified += put(collection, document, updated(document, changes, filter));
  return answer(matched.length, modified);
}

function replace(collection: LocalCollection, args: Fields): object {
  const filter = filterOf(args);
  const wanted = toDocument(args.replacement);
  const [document] = matching(collection, filter);
  if (!document) return args.upsert ? addUpserted(collection, replacement(filter, wanted)) : answer(0, 0);
  if (wanted._id !== undefined && textOf([wanted._id]) !== textOf([document._id])) {
    throw rejected('A replacement cannot change the field _id.');
  }
  return answer(1, put(collection, document, { ...replacement({}, wanted), _id: document._id }));
}

/** Replaces a document. Returns 1 if that changed it, otherwise 0. */
function put(collection: LocalCollection, current: Document, { _id, ...fields }: Document): number {
  const next = { _id, ...fields };
  if (textOf(next) === textOf(current)) return 0;
  collection.put(next, current);
  return 1;
}

function addUpserted(collection: LocalCollection, document: Document): object {
  collection.put(document);
  return { ...answer(0, 0), upserted_count: 1, upserted_id: document._id };
}

const answer = (matched: number, modified: number): object => ({
  matched_count: matched,
  modified_count: modified,
  upserted_count: 0,
  upserted_id: null,
});

function remove(collection: LocalCollection, documents: Document[]): number {
  for (const document of documents) collection.delete(document);
  return documents.length;
}

function createIndex(collection: LocalCollection, args: Fields): string {
  const keys = toQuery<Sort>(args.keys);
  const fields = Object.entries(keys);
  if (fields.length === 0) throw rejected('An index needs at least one field.');
  for (const [field, direction] of fields) {
    if (direction === 1 || direction === -1) continue;
    throw rejected(
      `Local files support only indexes in the directions 1 and -1; ${field} has ${JSON.stringify(direction)}.`,
    );
  }
  const name =
    (args.name as string | undefined) ?? fields.map(([field, direction]) => `${field}_${direction}`).join('_');
  collection.createIndex({ name, keys, unique: args.unique === true });
  return name;
}
