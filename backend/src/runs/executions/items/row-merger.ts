import { createHash } from 'node:crypto';
import type { ChangeKind } from '@trawl/contracts';
import { serialize } from 'bson';
import { mongo } from 'mongoose';
import { WRITE } from '../../../data/storage/mongodb/call-options.js';
import { differences } from './differences.js';
import {
  changeId,
  type FieldChange,
  type Fields,
  type ItemNotes,
  itemId,
  ownFields,
  type StoredChange,
} from './item-documents.js';

const BATCH = 1_000;
/** Time that reading all rows or items may take. */
const READ = { batchSize: BATCH, maxTimeMS: 3_600_000, bsonRegExp: true } as const;
const DUPLICATE_KEY = 11_000;
/** Size of an item's notes or of a change, without its key and fields, with its part of the indexes. */
const NOTES_BYTES = 500;

type Item = ItemNotes & Fields;
type KnownItem = Pick<ItemNotes, '_run' | '_hash' | '_gone_at'>;

interface Row {
  id: string;
  key: string;
  fields: Fields;
  hash: string;
  bytes: number;
}

/** A run whose rows become items. `firstId` is its first attempt, `at` the time when it ended. */
export interface MergedRun {
  executionId: string;
  firstId: string;
  input: string;
  at: Date;
}

export interface MergeParts {
  dataset: mongo.Collection;
  items: mongo.Collection<Item>;
  changes: mongo.Collection<StoredChange>;
  /** Reserves bytes of the account's storage. @throws {ApiError} if there is no room. */
  reserve: (bytes: number) => Promise<void>;
  /** Ends the merge when it aborts. */
  signal: AbortSignal;
}

/**
 * Merges the rows with a key of one run into items, and notes each difference as a change.
 *
 * A merge may be killed at any point and repeated: changes are stored before their items, with ids that follow from run
 * and item, and an item that the run has already changed stays as it is. An item that a run with a later start has
 * changed stays as it is, too, so two backends that merge at the same time do no harm.
 */
export class RowMerger {
  /** A filter of items that neither this run nor a later one has changed. */
  readonly #isOlder: { _run: { $lt: string } };

  constructor(
    private readonly run: MergedRun,
    private readonly parts: MergeParts,
  ) {
    this.#isOlder = { _run: { $lt: run.executionId } };
  }

  /** Returns false if the run has no rows with a key; then it changes nothing. */
  async merge(): Promise<boolean> {
    const { dataset } = this.parts;
    let isPartial = false;
    let hasRows = false;
    const rows = dataset.find({ _first: this.run.firstId, _key: { $gt: '' } }, READ);
    for await (const batch of this.#batches<Fields>(rows)) {
      hasRows = true;
      isPartial ||= batch.some(({ _partial }) => _partial === true);
      await this.#mergeRows(batch.map(toRow));
    }
    if (hasRows && !isPartial) await this.#markGone();
    return hasRows;
  }

  async #mergeRows(rows: Row[]): Promise<void> {
    const ids = rows.map(({ id }) => id);
    const projection = { _run: 1, _hash: 1, _gone_at: 1 };
    const found = this.parts.items.find<KnownItem & { _id: string }>({ _id: { $in: ids } }, { ...READ, projection });
    const known = new Map<string, KnownItem>();
    for (const item of await found.toArray()) known.set(item._id, item);

    const added = rows.filter(({ id }) => !known.has(id));
    const open = rows.filter(({ id }) => (known.get(id)?._run ?? this.run.executionId) < this.run.executionId);
    const isSame = ({ id, hash }: Row) => known.get(id)?._hash === hash && known.get(id)?._gone_at === null;
    await this.#add(added);
    await this.#see(open.filter(isSame));
    await this.#change(open.filter(row => !isSame(row)));
  }

  async #add(rows: Row[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#reserve(rows, 2);
    await this.#saveChanges(rows.map(row => this.#changeOf(row, 'added')));
    const { at } = this.run;
    const items = rows.map(row => this.#itemOf(row, { _first_seen: at, _changed_at: at }));
    await insertNew(this.parts.items, items);
  }

  /** Notes that the run has found items as they are. */
  async #see(rows: Row[]): Promise<void> {
    if (rows.length === 0) return;
    const { executionId, input, at } = this.run;
    await this.parts.items.updateMany(
      { _id: { $in: rows.map(({ id }) => id) }, ...this.#isOlder } as mongo.Filter<Item>,
      { $set: { _last_seen: at, _run: executionId, _input: input } } as mongo.UpdateFilter<Item>,
      WRITE,
    );
  }

  /** Changes items that have other values, or that were gone. */
  async #change(rows: Row[]): Promise<void> {
    if (rows.length === 0) return;
    const rowOf = new Map(rows.map(row => [row.id, row]));
    const found = this.parts.items.find({ _id: { $in: [...rowOf.keys()] } } as mongo.Filter<Item>, READ);
    for await (const items of this.#batches<Item>(found)) {
      const changes: StoredChange[] = [];
      const updates: mongo.AnyBulkWriteOperation<Item>[] = [];
      for (const item of items) {
        const row = rowOf.get(item._id) as Row;
        const fields = differences(ownFields(item), row.fields);
        const isBack = item._gone_at !== null;
        const isChanged = isBack || fields.length > 0;
        if (isChanged) changes.push(this.#changeOf(row, isBack ? 'back' : 'changed', fields));
        const { _first_seen } = item;
        const next = this.#itemOf(row, { _first_seen, _changed_at: isChanged ? this.run.at : item._changed_at });
        const filter = { _id: item._id, ...this.#isOlder } as mongo.Filter<Item>;
        updates.push({ updateOne: { filter, update: [{ $replaceWith: { $literal: next } }] } });
      }
      await this.#reserve(
        items.map(({ _id }) => rowOf.get(_id) as Row),
        3,
      );
      await this.#saveChanges(changes);
      await this.parts.items.bulkWrite(updates, { ...WRITE, ordered: false });
    }
  }

  /** Marks the items that runs with the same input have found before, and this one has not. */
  async #markGone(): Promise<void> {
    const { executionId, input, at } = this.run;
    const missing = { _gone_at: null, _input: input, ...this.#isOlder } as mongo.Filter<Item>;
    const found = this.parts.items.find<{ _id: string; _key: string }>(missing, { ...READ, projection: { _key: 1 } });
    for await (const items of this.#batches<Pick<ItemNotes, '_id' | '_key'>>(found)) {
      const rows = items.map(({ _id, _key }) => ({ id: _id, key: _key, bytes: 0 }));
      await this.#reserve(rows, 1);
      await this.#saveChanges(rows.map(row => this.#changeOf(row, 'gone')));
      await this.parts.items.updateMany(
        { ...missing, _id: { $in: rows.map(({ id }) => id) } } as mongo.Filter<Item>,
        { $set: { _gone_at: at, _changed_at: at, _run: executionId } } as mongo.UpdateFilter<Item>,
        WRITE,
      );
    }
  }

  #itemOf({ id, key, fields, hash }: Row, times: Pick<ItemNotes, '_first_seen' | '_changed_at'>): Item {
    const { executionId, input, at } = this.run;
    return {
      ...fields,
      _id: id,
      _key: key,
      ...times,
      _last_seen: at,
      _gone_at: null,
      _run: executionId,
      _input: input,
      _hash: hash,
    };
  }

  #changeOf({ id, key }: Pick<Row, 'id' | 'key'>, kind: ChangeKind, fields: FieldChange[] | null = null): StoredChange {
    const { executionId, at } = this.run;
    return { _id: changeId(executionId, id), _run: executionId, _item: id, _key: key, kind, fields, at };
  }

  async #saveChanges(changes: StoredChange[]): Promise<void> {
    if (changes.length > 0) await insertNew(this.parts.changes, changes);
  }

  /** @param times how often the fields of the rows are stored, at most */
  async #reserve(rows: Pick<Row, 'key' | 'bytes'>[], times: number): Promise<void> {
    const bytes = rows.reduce((sum, row) => sum + times * (row.bytes + row.key.length + NOTES_BYTES), 0);
    await this.parts.reserve(bytes);
  }

  /** Reads what MongoDB sends at once: at most 16 MB. */
  async *#batches<T>(cursor: mongo.FindCursor<unknown>): AsyncGenerator<T[]> {
    try {
      while (await cursor.hasNext()) {
        this.parts.signal.throwIfAborted();
        yield cursor.readBufferedDocuments() as T[];
      }
    } finally {
      await cursor.close();
    }
  }
}

function toRow(document: Fields): Row {
  const key = document._key as string;
  const fields = ownFields(document);
  const bytes = serialize(fields);
  const hash = createHash('sha1').update(bytes).digest('base64');
  return { id: itemId(key), key, fields, hash, bytes: bytes.length };
}

/**
 * Inserts the documents whose id is new. One with the same id is from an attempt that was killed, and is the same.
 * @throws also for a document that an index of the user refuses
 */
async function insertNew<T extends { _id: string }>(collection: mongo.Collection<T>, documents: T[]): Promise<void> {
  try {
    await collection.insertMany(documents as mongo.OptionalUnlessRequiredId<T>[], { ...WRITE, ordered: false });
  } catch (error) {
    const { code, writeErrors = [] } = error as Partial<mongo.MongoBulkWriteError>;
    if (code !== DUPLICATE_KEY) throw error;
    const refused = [writeErrors].flat().find(failure => !isOfSameId(failure));
    if (refused) throw new mongo.MongoServerError({ code: refused.code, errmsg: refused.errmsg });
  }
}

const isOfSameId = ({ code, errmsg = '' }: mongo.WriteError): boolean =>
  code === DUPLICATE_KEY && / index: _id_ dup key: /.test(errmsg);
