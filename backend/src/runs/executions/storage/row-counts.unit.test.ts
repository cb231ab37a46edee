import type { Logger } from 'pino';
import type { RowCount } from '../records/executions.repository.js';
import type { ExecutionsService } from '../records/executions.service.js';
import { RowCounts } from './row-counts.service.js';

const workerId = 'worker';
/** The numbers of each write, and a function that ends the write. */
let writes: { counts: [string, number][]; end: (error?: Error) => void }[];
let rowCounts: RowCounts;

beforeEach(() => {
  jest.useFakeTimers();
  writes = [];
  const noteStoredRows = (counts: RowCount[]) =>
    new Promise<void>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve());
      writes.push({ counts: counts.map(({ id, rows }) => [id, rows]), end });
    });
  const logger = { warn: () => {} } as unknown as Logger;
  rowCounts = new RowCounts({ noteStoredRows } as unknown as ExecutionsService, logger);
});
afterEach(() => jest.useRealTimers());

const note = (id: string, rows: number): void => rowCounts.note({ id, workerId, rows });
const written = () => writes.map(({ counts }) => counts);

it('the end of a run writes only its own number of rows, after the write before it', async () => {
  note('a', 1);
  note('b', 1);
  const [a, b] = [rowCounts.settle('a'), rowCounts.settle('b')];
  await jest.advanceTimersByTimeAsync(0);
  expect(written()).toEqual([[['a', 1]]]);
  writes[0]?.end();
  await a;
  await jest.advanceTimersByTimeAsync(0);
  expect(written()).toEqual([[['a', 1]], [['b', 1]]]);
  writes[1]?.end();
  await b;
});

it('the end of a run waits for a write that has its number of rows, and repeats it only if it failed', async () => {
  for (const error of [undefined, new Error('PostgreSQL is down')]) {
    writes.length = 0;
    note('a', error ? 2 : 1);
    await jest.advanceTimersByTimeAsync(1_000);
    let isSettled = false;
    const settling = rowCounts.settle('a').then(() => {
      isSettled = true;
    });
    await jest.advanceTimersByTimeAsync(0);
    expect([writes.length, isSettled]).toEqual([1, false]);
    writes[0]?.end(error);
    await jest.advanceTimersByTimeAsync(0);
    expect(writes).toHaveLength(error ? 2 : 1);
    writes[1]?.end();
    await settling;
  }
});

it('a number of rows that was not written, or that rose meanwhile, is written a second later', async () => {
  note('a', 1);
  await jest.advanceTimersByTimeAsync(1_000);
  note('a', 2);
  writes[0]?.end();
  await jest.advanceTimersByTimeAsync(1_000);
  writes[1]?.end(new Error('PostgreSQL is down'));
  await jest.advanceTimersByTimeAsync(1_000);
  writes[2]?.end();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(written()).toEqual([[['a', 1]], [['a', 2]], [['a', 2]]]);
});
