import { postgres } from '../index.js';
import type { PostgresReply, PostgresRequest } from '../protocol/postgres-request.js';

const PORT = Symbol.for('trawl.postgres');
const globals = globalThis as Record<symbol, unknown>;
const LARGE = 'x'.repeat(300_000);

let open: { rows: Record<string, unknown>[]; answer: (reply: PostgresReply) => void }[];

beforeEach(() => {
  open = [];
  globals[PORT] = ({ params: [rows] }: PostgresRequest & { params: string[] }) =>
    new Promise<PostgresReply>(answer => open.push({ rows: JSON.parse(String(rows)), answer }));
});
afterEach(() => {
  delete globals[PORT];
});

const done: PostgresReply = { result: { fields: [], rows: [], row_count: 1, command: 'INSERT' } };

/** Waits until the library has made this number of calls. */
async function called(count: number): Promise<void> {
  while (open.length < count) await new Promise(setImmediate);
}

test('postgres.insertMany encodes rows while the call before them is in progress, and sends one call at a time', async () => {
  let encoded = 0;
  const row = (n: number) => ({
    text: LARGE,
    get n() {
      encoded = n;
      return n;
    },
  });
  const inserting = postgres.insertMany('books', [row(1), row(2), row(3)]);
  await called(1);
  expect(encoded).toBe(3);
  expect(open).toHaveLength(1);
  open[0]?.answer(done);
  await called(2);
  open[1]?.answer(done);
  await called(3);
  open[2]?.answer(done);
  expect(await inserting).toBe(3);
  expect(open.map(({ rows }) => rows.map(({ n }) => n))).toEqual([[1], [2], [3]]);
});

test('postgres.insertMany ends with the first call that fails, and says how many rows are stored', async () => {
  const inserting = postgres.insertMany('books', [{ text: LARGE }, { text: LARGE }, { text: LARGE }]);
  await called(1);
  open[0]?.answer(done);
  await called(2);
  open[1]?.answer({ error: { code: 'storage_rejected', message: 'No.', sql_state: '23505' } });
  await expect(inserting).rejects.toMatchObject({
    code: 'storage_rejected',
    insertedCount: 1,
    postgres: { sqlState: '23505' },
  });
  expect(open).toHaveLength(2);
});

test('postgres.insertMany waits for the call in progress before it refuses a row that is too large', async () => {
  let isOver = false;
  const inserting = postgres.insertMany('books', [{ text: LARGE }, { text: LARGE }, { text: LARGE.repeat(2) }]);
  const over = inserting.catch(error => {
    isOver = true;
    return error;
  });
  await called(1);
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  open[0]?.answer(done);
  expect(await over).toMatchObject({ code: 'storage_too_large' });
});

test('postgres.insertMany writes bytes, large integers and dates as PostgreSQL reads them', async () => {
  const when = new Date(5);
  const inserting = postgres.insertMany('books', [
    { a: Buffer.from([1, 255]), b: 2n ** 60n, c: when, d: null, e: { f: Buffer.from([2]) } },
    { a: 'text', b: 1.5, c: when, d: true, e: undefined },
  ]);
  await called(1);
  open[0]?.answer(done);
  await inserting;
  const at = '1970-01-01T00:00:00.005Z';
  expect(open[0]?.rows).toEqual([
    { a: '\\x01ff', b: '1152921504606846976', c: at, d: null, e: { f: '\\x02' } },
    { a: 'text', b: 1.5, c: at, d: true },
  ]);
});
