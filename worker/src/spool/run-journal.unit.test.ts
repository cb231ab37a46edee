import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from './result.js';
import { RunJournal } from './run-journal.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-journal-'));
  file = join(folder, 'runs.jsonl');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const resultOf = (id: string, output = '1'): Result => ({
  id,
  action: 'end',
  output,
  error_code: null,
  error_stack: null,
  last_seq: 0,
  last_chunk: 0,
});

function reread() {
  const journal = new RunJournal(file);
  return Object.fromEntries(journal.left.map(id => [id, journal.takeLeft(id)]));
}

test('the run journal restores the state of each run, but not of forgotten runs', () => {
  const journal = new RunJournal(file);
  for (const id of ['a', 'b', 'c', 'd']) journal.accepted(id);
  for (const id of ['b', 'c', 'd']) journal.ended(resultOf(id));
  journal.finished('c');
  journal.forget('d');
  expect(reread()).toEqual({
    a: { rows: '', result: null, finished: false },
    b: { rows: '', result: resultOf('b'), finished: false },
    c: { rows: '', result: resultOf('c'), finished: true },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the run journal restores the echoes of a run until they are in its folder', () => {
  const journal = new RunJournal(file);
  for (const id of ['a', 'b']) journal.accepted(id);
  journal.rows('a', '1,"one"\n');
  journal.rows('b', '1,"two\n"\n');
  journal.rows('a', '2,"three"\n');
  journal.inFolder('b');
  expect(reread()).toEqual({
    a: { rows: '1,"one"\n2,"three"\n', result: null, finished: false },
    b: { rows: '', result: null, finished: false },
  });
});

test('the run journal is not rewritten while most of its lines are needed, and loses none when it is', () => {
  const journal = new RunJournal(file);
  const rows = 'x'.repeat(1_000_000);
  for (let n = 0; n < 12; n += 1) {
    journal.accepted(`live-${n}`);
    journal.rows(`live-${n}`, rows);
  }
  const end = (id: string) => {
    journal.accepted(id);
    journal.rows(id, rows);
    journal.forget(id);
  };
  end('ended');
  const { size } = statSync(file);
  expect(size).toBeGreaterThan(13_000_000);
  for (let n = 0; n < 12; n += 1) end(`ended-${n}`);
  expect(statSync(file).size).toBeLessThan(1.5 * size);
  expect(Object.values(reread()).map(run => run.rows.length)).toEqual(Array.from({ length: 12 }, () => rows.length));
});

test('the run journal ignores an incomplete last line, and writes the next entry on a new line', () => {
  const journal = new RunJournal(file);
  journal.accepted('a');
  appendFileSync(file, '{"id":"b","acc');
  const next = new RunJournal(file);
  next.ended(resultOf('a'));
  expect(reread()).toEqual({ a: { rows: '', result: resultOf('a'), finished: false } });
});

test('the run journal removes forgotten runs from its file, so that the file does not grow without limit', () => {
  const journal = new RunJournal(file);
  journal.accepted('stays');
  const output = `"${'x'.repeat(500_000)}"`;
  for (let n = 0; n < 40; n += 1) {
    journal.accepted(`run-${n}`);
    journal.ended(resultOf(`run-${n}`, output));
    journal.forget(`run-${n}`);
  }
  expect(statSync(file).size).toBeLessThan(10_000_000);
  journal.ended(resultOf('stays'));
  expect(reread()).toEqual({ stays: { rows: '', result: resultOf('stays'), finished: false } });
  journal.forget('stays');
  expect(readFileSync(file, 'utf8')).toBe('');
  journal.accepted('next');
  expect(reread()).toEqual({ next: { rows: '', result: null, finished: false } });
});
