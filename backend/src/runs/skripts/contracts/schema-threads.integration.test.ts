import { randomUUID } from 'node:crypto';
import { serialize } from 'bson';
import { appForFile } from '../../../../test/test-app.js';
import { SchemaThreads } from './schema-threads.service.js';

const { app, developer } = appForFile();

/** Its search takes longer than any limit, and a trial of it too. */
const HOSTILE = { properties: { text: { pattern: '^(\\w+\\s?)*$' } } };
const SLOW_ROW = { text: `${'a'.repeat(60)}!` };
const task = (schema: object, rows: object[]) => ({
  schema: JSON.stringify(schema),
  rows: new Uint8Array(Buffer.concat(rows.map(row => serialize(row)))),
  maxMs: 100,
});

/** Returns BSON of a row with a list of so many empty objects. */
function rowOfEmptyObjects(count: number): Uint8Array {
  const elements = Buffer.alloc(count * 8, Buffer.from([0x03, 0x30, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00]));
  const lengthOf = (bytes: number) => {
    const length = Buffer.alloc(4);
    length.writeInt32LE(bytes);
    return length;
  };
  const end = Buffer.alloc(1);
  const list = [lengthOf(elements.length + 5), elements, end];
  const name = Buffer.from('\u0004list\0');
  return new Uint8Array(Buffer.concat([lengthOf(elements.length + 5 + name.length + 5), name, ...list, end]));
}

/** Counts how often the event loop turns until the work is done. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0;
  let isDone = false;
  const result = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise(resolve => setImmediate(resolve));
    turns += 1;
  }
  return { turns, result: await result };
}

it('the event loop turns while a hostile schema is tried, and while it checks rows', async () => {
  const schemas = app.part(SchemaThreads);
  const owner = randomUUID();
  const check = () => schemas.checkRows(owner, task(HOSTILE, [SLOW_ROW]));
  // Start the thread, so that the turns are not those of its start.
  await check();
  const checked = await turnsDuring(check());
  expect(checked.result).toMatchObject({ checked: 0, refusals: [], problem: expect.stringContaining('took longer') });
  expect(checked.turns).toBeGreaterThan(20);
  const tried = await turnsDuring(schemas.trials(owner)(HOSTILE));
  expect(tried.result).toContain('takes longer than');
  expect(tried.turns).toBeGreaterThan(20);
});

it('an account whose checks take long holds up no other: its checks wait for each other', async () => {
  const schemas = app.part(SchemaThreads);
  const [hostile, other] = [randomUUID(), randomUUID()];
  const { schema, rows } = task({ type: 'object' }, [{ n: 1 }]);
  const quick = (owner: string) => schemas.checkRows(owner, { schema, rows: rows.slice(), maxMs: 100 });
  // Start both threads.
  await Promise.all([quick(hostile), quick(other)]);
  const order: string[] = [];
  const slow = Array.from({ length: 6 }, () =>
    schemas.checkRows(hostile, task(HOSTILE, [SLOW_ROW])).then(() => order.push('hostile')),
  );
  const { checked } = await quick(other);
  order.push('other');
  await Promise.all(slow);
  expect([checked, order.length]).toEqual([1, 7]);
  expect(order.indexOf('other')).toBeLessThan(3);
});

it('the time in which a check waits for a thread does not count', async () => {
  const schemas = app.part(SchemaThreads);
  const timeouts = jest.spyOn(AbortSignal, 'timeout');
  const checks = Array.from({ length: 3 }, () => schemas.checkRows(randomUUID(), task(HOSTILE, [SLOW_ROW])));
  await new Promise(resolve => setImmediate(resolve));
  // There are two threads.
  expect(timeouts).toHaveBeenCalledTimes(2);
  await Promise.all(checks);
  expect(timeouts).toHaveBeenCalledTimes(3);
  timeouts.mockRestore();
});

it('rows that need more memory than a thread may have end the check, and not the backend', async () => {
  const schemas = app.part(SchemaThreads);
  const owner = randomUUID();
  const rows = rowOfEmptyObjects(6_000_000);
  const { problem } = await schemas.checkRows(owner, { schema: '{}', rows, maxMs: 120_000 });
  expect(problem).toContain('MB of memory');
  expect(await schemas.checkRows(owner, task({}, [{ n: 1 }]))).toMatchObject({ checked: 1, problem: null });
});

it('a refused schema of the API names the limit', async () => {
  const { status, body } = await developer('POST', '/joint-api/skripts/addnew', {
    title: `Hostile ${randomUUID()}`,
    rows: { schema: HOSTILE },
  });
  expect([status, body.error_message]).toEqual([400, expect.stringContaining('takes longer than')]);
});
