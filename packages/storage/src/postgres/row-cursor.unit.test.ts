import { postgres } from '../index.js';
import type { PostgresReply, PostgresRequest } from '../protocol/postgres-request.js';

const PORT = Symbol.for('trawl.postgres');
const globals = globalThis as Record<symbol, unknown>;
const INT = 23;

let requests: string[];
/** The platform has this number of pages, each of one row. After them, it has lost the cursor. */
let pages: number;
let column: string;
/** The answer to the request for the third page, if it is another. */
let ahead: PostgresReply | Promise<PostgresReply> | undefined;

beforeEach(() => {
  requests = [];
  pages = 9;
  column = 'n';
  ahead = undefined;
  let page = 0;
  globals[PORT] = async ({ method }: PostgresRequest): Promise<PostgresReply> => {
    requests.push(method);
    if (method === 'close') return { result: {} };
    page += 1;
    if (page === 3 && ahead) return ahead;
    if (page > pages) return { error: { code: 'storage_cursor_lost', message: 'Closed.' } };
    return { result: { fields: [{ name: column, type: INT }], rows: [[String(page)]], cursor: 'c' } };
  };
});
afterEach(() => {
  delete globals[PORT];
});

test('a postgres cursor requests one page ahead from its second page on, and reports an error when that page is read', async () => {
  pages = 3;
  const cursor = postgres.cursor('SELECT n');
  expect(await cursor.next()).toEqual({ n: 1 });
  expect(requests).toEqual(['open']);
  expect(await cursor.next()).toEqual({ n: 2 });
  expect(requests).toEqual(['open', 'next', 'next']);
  expect(await cursor.next()).toEqual({ n: 3 });
  await expect(cursor.next()).rejects.toMatchObject({ code: 'storage_cursor_lost' });
});

test.each([
  ['never arrives', new Promise<PostgresReply>(() => {})],
  ['was refused', { error: { code: 'storage_rejected', message: 'The run has too many pending PostgreSQL calls.' } }],
  ['was the last one', { result: { fields: [], rows: [], cursor: null } }],
])(
  'a postgres cursor that is left early is closed at once, also if the page that it requested ahead %s',
  async (_, third) => {
    ahead = third;
    for await (const { n } of postgres.cursor('SELECT n')) if (n === 2) break;
    expect(requests).toEqual(['open', 'next', 'next', 'close']);
    expect(await postgres.cursor('SELECT n').close()).toBeUndefined();
    expect(requests).toHaveLength(4);
  },
);

test('a column named __proto__ is an ordinary field of a row', async () => {
  column = '__proto__';
  const row = await postgres.cursor('SELECT 1').next();
  expect(Object.entries(row ?? {})).toEqual([['__proto__', 1]]);
  expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
});
