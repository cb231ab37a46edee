import { encodeMessage } from '../../test/bson-messages.js';
import { dataset, mongo, queue } from '../index.js';
import { memoryPort } from '../local/local-port.js';
import type { StorageReply, StorageRequest } from '../protocol/storage-request.js';

const PORT = Symbol.for('trawl.storage');
const globals = globalThis as Record<string | symbol, unknown>;
const memory = memoryPort();
/** A request as the queue gives it out. */
let taken: object[];

beforeEach(() => {
  globals[PORT] = async (request: StorageRequest): Promise<StorageReply> =>
    request.method === 'queueTake'
      ? { result: encodeMessage({ requests: taken, leased: 1, due_ms: null }) }
      : memory.port(request);
});
afterEach(() => {
  memory.close();
  delete globals.trawl;
  delete globals[PORT];
});

const actAs = (run: string): void => {
  globals.trawl = { execution_id: run, skript: { id: 'skript' } };
};
const taking = (id: string, fields: object = {}) => ({
  id,
  url: `https://shop.example/${id}`,
  data: null,
  retries: 0,
  ...fields,
});
const titles = async (): Promise<unknown[]> =>
  (await mongo.collection('dataset_skript').find().sort({ _id: 1 }).toArray()).map(({ title }) => title);

test('a run that takes requests of dead runs deletes the rows which these have stored for them, and no others', async () => {
  actAs('dead');
  await dataset.push([{ title: 'left' }, { title: 'left too' }], { request: { id: 'a', retries: 1 } });
  await dataset.push({ title: 'of an earlier try' }, { request: { id: 'a', retries: 0 } });
  await dataset.push({ title: 'of a request that is done' }, { request: { id: 'b', retries: 0 } });
  await dataset.push({ title: 'of no request' });
  actAs('alive');
  await dataset.push({ title: 'of a run that lives' }, { request: { id: 'a', retries: 1 } });
  taken = [taking('c'), taking('a', { retries: 1, left_by: ['dead', 'before'], taken_at: Date.now() })];
  const { requests } = await queue('pages').takeNow(2);
  expect(requests.map(({ id }) => id)).toEqual(['c', 'a']);
  const kept = ['of an earlier try', 'of a request that is done', 'of no request', 'of a run that lives'];
  expect(await titles()).toEqual(kept);
});

test('a take of other requests reads no rows', async () => {
  actAs('alive');
  const methods: string[] = [];
  globals[PORT] = async ({ method }: StorageRequest) => {
    methods.push(method);
    return { result: encodeMessage({ requests: [taking('a')], leased: 1, due_ms: null }) };
  };
  await queue('pages').takeNow(1);
  expect(methods).toEqual(['queueTake']);
});

test('ids of rows are in the order of pushing, whatever requests they come from', async () => {
  actAs('alive');
  const pushed: Promise<void>[] = [];
  for (let n = 0; n < 300; n++) {
    pushed.push(dataset.push({ title: n }, n % 3 === 0 ? {} : { request: { id: String(n % 7), retries: 0 } }));
  }
  await Promise.all(pushed);
  expect(await titles()).toEqual(Array.from({ length: 300 }, (_, n) => n));
});

test.each([null, 'a', {}, { id: 'a' }, { id: 1, retries: 0 }])('a request must be one: %j', async request => {
  actAs('alive');
  await expect(dataset.push({ title: 'Sails' }, { request } as never)).rejects.toThrow(
    'dataset.push: expected a request that the run has taken as `request`',
  );
});
