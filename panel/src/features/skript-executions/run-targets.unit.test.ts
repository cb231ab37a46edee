import { type RunWrite, storedRows } from '../../components/runs/stored-rows.js';
import { run } from '../../test-run.js';
import { differenceText, madeDuring, rowsDifference, runTargets } from './run-targets.js';

const write = (name: string | null, more: Partial<RunWrite> = {}): RunWrite => ({
  store: 'mongodb',
  database: null,
  name,
  inserted: 0,
  updated: 0,
  deleted: 0,
  ...more,
});
const shown = (...of: Parameters<typeof runTargets>) =>
  runTargets(...of).map(({ label, kind, stored, difference }) => [label, kind, stored, difference]);

it('the targets of a run are its dataset, its collections and tables, and its key-value store, with their rows', () => {
  const writes = [
    write('kv_s', { updated: 1 }),
    write('books', { inserted: 3, updated: 4 }),
    write('shop.prices', { store: 'postgresql', inserted: 5 }),
    write(null, { store: 'postgresql', inserted: 2 }),
    write('dataset_s', { inserted: 6 }),
  ];
  const stored = run({ rows: 7, writes });
  const targets = runTargets(stored, null);
  expect(targets.map(({ label, place, stored }) => [label, place, stored])).toEqual([
    ['Dataset', 'MongoDB', 7],
    ['books', 'MongoDB', 7],
    ['shop.prices', 'PostgreSQL', 5],
    ['Statements of postgres.query', 'PostgreSQL, tables not known', 2],
    ['Key-value store', 'MongoDB', 1],
  ]);
  expect([storedRows(stored), rowsDifference(stored, null)]).toEqual([21, null]);
});

it('a run shows for each target how many rows more or fewer it has stored than the last good run', () => {
  const good = run({ rows: 10, writes: [write('dataset_s', { inserted: 10 }), write('gone', { inserted: 4 })] });
  const now = run({
    action: 'end',
    rows: 12,
    writes: [write('dataset_s', { inserted: 12 }), write('new', { inserted: 1 })],
  });
  expect(shown(now, good)).toEqual([
    ['Dataset', 'dataset', 12, 2],
    ['gone', 'collection', 0, -4],
    ['new', 'collection', 1, 1],
  ]);
  expect([storedRows(now), rowsDifference(now, good)]).toEqual([13, -1]);
  expect([2, -4_000, 0].map(differenceText)).toEqual(['+2', '−4,000', '±0']);
});

it('a live run is not compared with the last good run, because it may store more', () => {
  const good = run({ rows: 10 });
  expect(shown(run({ rows: 2 }), good)).toEqual([['Dataset', 'dataset', 2, null]]);
  expect(rowsDifference(run({ rows: 2 }), good)).toBeNull();
});

it('a run that only replaced rows of its dataset has the same number of rows in all and in the dataset', () => {
  const replaced = run({ action: 'end', rows: 0, writes: [write('dataset_s', { updated: 4 })] });
  expect([storedRows(replaced), runTargets(replaced, null)[0]?.stored]).toEqual([4, 4]);
});

it('the dataset is a target as soon as the run has rows, before its worker has reported what it wrote', () => {
  expect(shown(run({ rows: 2 }), null)).toEqual([['Dataset', 'dataset', 2, null]]);
  expect(runTargets(run(), null)).toEqual([]);
});

it('documents that were made during a run are found by the time in their _id', () => {
  expect(madeDuring({ started_at: null, ended_at: null })).toBeNull();
  const during = { started_at: '2026-01-01T00:00:00.900Z', ended_at: '2026-01-01T00:00:05.100Z' };
  expect(JSON.parse(madeDuring(during) ?? '')).toEqual({
    _id: { $gte: { $oid: '6955b9000000000000000000' }, $lt: { $oid: '6955b9060000000000000000' } },
  });
  expect(JSON.parse(madeDuring({ ...during, ended_at: null }) ?? '')).toEqual({
    _id: { $gte: { $oid: '6955b9000000000000000000' } },
  });
});
