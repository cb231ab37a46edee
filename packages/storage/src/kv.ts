import { Binary, EJSON, ObjectId } from 'bson';
import { Collection } from './collection.js';
import { decode, encode, joinDocuments } from './protocol/bson-documents.js';
import type { Document } from './protocol/document.js';
import { StorageError } from './protocol/storage-error.js';
import { send } from './storage-port.js';
import { thisRun } from './this-run.js';

const MAX_KEY_CHARS = 200;
/** As JSON or as BSON, whichever is smaller: JSON doubles some texts, and BSON is large for lists of small values. */
export const MAX_VALUE_BYTES = 1024 * 1024;
/** Bytes that are not the value's: `{"value":}`, and the same with an empty text in BSON. */
const JSON_ENVELOPE_BYTES = 10;
const BSON_ENVELOPE_BYTES = 17;
/** A larger value is kept in parts of this size, because one call could not carry it. */
const PART_BYTES = 256 * 1024;
/** If parts are older and not those of the current value, a run that stored them was killed. */
const LEFTOVER_MS = 24 * 60 * 60 * 1_000;
/** How often `get` looks for the parts of a value, which a `set` may replace at the same time. */
const MAX_READS = 5;

export interface KeyValueStore {
  /** Resolves with the value, or with null if the key has none. */
  get(key: string): Promise<unknown>;
  /** Stores a value of at most 1 MB, as JSON or as BSON. Other runs see either the whole new value or the whole old one. */
  set(key: string, value: unknown): Promise<void>;
  /** Deletes the value. Resolves with whether there was one. */
  delete(key: string): Promise<boolean>;
}

/** A value of `kv`: either the value itself, or the ids of its parts in order. */
interface Entry {
  value?: unknown;
  parts?: ObjectId[];
}

/** Values that a skript keeps from one run to the next, such as cookies. Each skript has its own. */
export const kv: KeyValueStore = {
  async get(key) {
    checkKey('get', key);
    const entries = collection();
    for (let reads = 0; reads < MAX_READS; reads++) {
      const entry = (await entries.findOne({ _id: key })) as Entry | null;
      if (!entry) return null;
      if (!entry.parts) return entry.value;
      const parts = await entries.find({ _id: { $in: entry.parts } }).toArray();
      if (parts.length === entry.parts.length) return joined(entry.parts, parts);
    }
    throw new StorageError(
      'storage_rejected',
      `kv.get: parts of the value ${JSON.stringify(key)} are missing in ${entries.collectionName}. Set it again.`,
    );
  },

  async set(key, value) {
    checkKey('set', key);
    const entries = collection();
    const split = splitValue(key, value);
    const old = await partsOf(entries, key);
    const parts = await insertParts(entries, key, split);
    // This replaces the old value at once. Until then, nothing refers to the new parts.
    await entries.replaceOne({ _id: key }, parts.length > 0 ? { parts } : { value }, { upsert: true });
    if (old.length + parts.length > 0) await deleteParts(entries, key, old, 'kv.set');
  },

  async delete(key) {
    checkKey('delete', key);
    const entries = collection();
    const old = await partsOf(entries, key);
    const { deletedCount } = await entries.deleteOne({ _id: key });
    if (old.length > 0) await deleteParts(entries, key, old, 'kv.delete');
    return deletedCount > 0;
  },
};

const collection = (): Collection => new Collection(undefined, `kv_${thisRun().skriptId}`);

function checkKey(method: string, key: unknown): void {
  if (typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARS) return;
  throw new TypeError(`kv.${method}: expected a key, which is a text of 1 to ${MAX_KEY_CHARS} characters.`);
}

/** Splits a large value into parts. Returns no parts for a value that fits into a document. */
function splitValue(key: string, value: unknown): Buffer[] {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`kv.set: ${JSON.stringify(key)} needs a value that JSON can hold. Use kv.delete to remove it.`);
  }
  const bson = encode({ value }, 'kv.set');
  // From BSON, because JSON would write a Buffer as an object.
  const bytes = Buffer.from(EJSON.stringify(decode(bson), { relaxed: true }));
  const size = Math.min(bytes.length - JSON_ENVELOPE_BYTES, bson.length - BSON_ENVELOPE_BYTES);
  if (size > MAX_VALUE_BYTES) {
    throw new StorageError(
      'storage_too_large',
      `kv.set: the value of ${JSON.stringify(key)} is ${size} bytes; the limit is ${MAX_VALUE_BYTES}. Use a collection of mongo for large data.`,
    );
  }
  // The text of a large value could not tell such a field from a type of Extended JSON.
  const operator = operatorIn(value);
  if (operator !== undefined) {
    throw new StorageError(
      'storage_rejected',
      `kv.set: the value of ${JSON.stringify(key)} has a field named ${operator.slice(0, 60)}: names that begin with $ are operators.`,
    );
  }
  // A call carries BSON, in which lists of small values are longer.
  if (bytes.length <= PART_BYTES && bson.length <= PART_BYTES) return [];
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES));
  return parts;
}

/** Returns a name in the value that begins with `$`, if there is one. */
function operatorIn(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || '_bsontype' in value) return undefined;
  const entries = value instanceof Map ? [...value] : ArrayBuffer.isView(value) ? [] : Object.entries(value);
  for (const [name, inner] of entries) {
    const found = String(name).startsWith('$') ? String(name) : operatorIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

function joined(ids: ObjectId[], parts: Document[]): unknown {
  const byId = new Map(parts.map(({ _id, part }) => [String(_id), (part as Binary).value()]));
  const bytes = Buffer.concat(ids.map(id => byId.get(String(id)) as Uint8Array));
  return EJSON.parse(bytes.toString(), { relaxed: true }).value;
}

async function insertParts(entries: Collection, key: string, parts: Buffer[]): Promise<ObjectId[]> {
  const ids: ObjectId[] = [];
  for (const part of parts) {
    const _id = new ObjectId();
    const docs = joinDocuments([encode({ _id, key, part: new Binary(part) }, 'kv.set')]);
    await changeParts(entries, 'insertMany', { docs, ordered: true }, 'kv.set');
    ids.push(_id);
  }
  return ids;
}

async function partsOf(entries: Collection, key: string): Promise<ObjectId[]> {
  const entry = (await entries.findOne({ _id: key }, { projection: { parts: 1 } })) as Entry | null;
  return entry?.parts ?? [];
}

/** Deletes the parts of an earlier value, and those that a killed run has left. */
async function deleteParts(entries: Collection, key: string, old: ObjectId[], name: string): Promise<void> {
  const leftBefore = ObjectId.createFromTime(Math.floor((Date.now() - LEFTOVER_MS) / 1_000));
  const filter = { key, $or: [{ _id: { $in: old } }, { _id: { $lt: leftBefore } }] };
  await changeParts(entries, 'deleteMany', { filter }, name);
}

/** Stores or deletes parts. They do not count as written, because the value counts as one. */
async function changeParts(entries: Collection, method: string, args: object, name: string): Promise<void> {
  await send({ collection: entries.collectionName, method, args: encode(args, name), uncounted: true }, name);
}
