import { Binary, ObjectId } from 'bson';
import { decodeMessage, encodeMessage } from '../test/bson-messages.js';
import { kv } from './index.js';
import type { StorageReply, StorageRequest } from './protocol/storage-request.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<string | symbol, unknown>;
const ids = [new ObjectId(), new ObjectId()];
const parts = ids.map((_id, n) => ({
  _id,
  key: 'page',
  part: new Binary(Buffer.from(['{"value":', '[1,2]}'][n] ?? '')),
}));

/** Takes the place of the platform: answers each find with the next of these lists of documents, and the last one again. */
function platform(...finds: object[][]): StorageRequest[] {
  const requests: StorageRequest[] = [];
  globals[PORT] = async (request: StorageRequest): Promise<StorageReply> => {
    requests.push(request);
    const docs = request.method === 'find' ? (finds.length > 1 ? finds.shift() : finds[0]) : [];
    return { result: encodeMessage({ docs, cursor: null, inserted_count: 1, deleted_count: 1 }) };
  };
  return requests;
}
beforeEach(() => {
  globals.trawl = { execution_id: 'run', skript: { id: 'skript' } };
});
afterEach(() => {
  delete globals.trawl;
  delete globals[PORT];
});

test('kv.get joins the parts of a value in order, and reads again if a set has replaced them', async () => {
  const entry = { _id: 'page', parts: ids };
  const requests = platform([entry], [parts[1] as object], [entry], [...parts].reverse());
  expect(await kv.get('page')).toEqual([1, 2]);
  expect(requests.map(({ collection }) => collection)).toEqual(Array(4).fill('kv_skript'));
  platform([entry], [], [{ _id: 'page', value: 'new' }]);
  expect(await kv.get('page')).toBe('new');
  platform(...Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? [entry] : [])));
  await expect(kv.get('page')).rejects.toThrow('parts of the value "page" are missing');
});

test('kv.set stores the new parts, then the entry that names them, then deletes the old parts', async () => {
  const requests = platform([{ _id: 'page', parts: ids }]);
  await kv.set('page', 'x'.repeat(300_000));
  expect(requests.map(({ method }) => method)).toEqual([
    'find',
    'insertMany',
    'insertMany',
    'replaceOne',
    'deleteMany',
  ]);
  // A value counts as one write.
  expect(requests.map(({ uncounted = false }) => uncounted)).toEqual([false, true, true, false, true]);
  const { filter } = decodeMessage(requests.at(-1)?.args as Uint8Array) as any;
  expect(filter).toMatchObject({ key: 'page', $or: [{ _id: { $in: ids } }, { _id: { $lt: expect.any(ObjectId) } }] });
  const { $or } = filter;
  expect($or[1]._id.$lt.getTimestamp().getTime()).toBeLessThan(Date.now() - 23 * 3_600_000);
});

test('kv.set refuses values with names that begin with $, because reading them would change their meaning', async () => {
  const requests = platform([]);
  for (const value of [
    { a: [{ $oid: 'x' }] },
    { a: [{ $set: 'x' }], long: 'x'.repeat(300_000) },
    new Map([['$a', 1]]),
  ]) {
    await expect(kv.set('page', value)).rejects.toMatchObject({ code: 'storage_rejected' });
  }
  expect(requests).toEqual([]);
  await kv.set('page', { price: '$5', id: new ObjectId(), bytes: Buffer.from('$') });
  expect(requests).toHaveLength(2);
});
