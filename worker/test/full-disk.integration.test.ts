import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvEchoes } from '../src/spool/csv.js';
import { RunJournal } from '../src/spool/run-journal.js';
import { Spool } from '../src/spool/spool.js';
import type { SpoolOptions } from '../src/spool/spool-options.js';

const ID = '0190f7a2-0000-7000-8000-000000000001';
const TIME = '2026-01-02T03:04:05.678Z';
const RESULT = { action: 'end', output: '1', error_code: null, error_stack: null } as const;
/** Size of the disk. */
const BYTES = 256 * 1024;

const failures: unknown[] = [];
/** Folder in which a small disk is mounted, if the tests have the right to mount one. */
const disk = mkdtempSync(join(tmpdir(), 'trawl-full-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${BYTES}`, 'tmpfs', disk]).status === 0;

afterAll(() => {
  for (const journal of journals) journal.close();
  if (isMounted) execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

const journals: RunJournal[] = [];

function options(): SpoolOptions {
  const journal = new RunJournal(join(disk, 'runs.jsonl'));
  journals.push(journal);
  return { runs: disk, journal, failed: error => failures.push(error) };
}

const fill = (name: string) => {
  try {
    for (;;) appendFileSync(join(disk, name), 'x'.repeat(1_000));
  } catch {}
};

(isMounted ? test : test.skip)(
  'on a full disk, the spool keeps earlier echoes, adds a warning, and delivers the result',
  async () => {
    const spool = Spool.create(ID, options());
    for (let n = 1; n <= 10; n += 1) spool.append('log', TIME, `echo ${n}`);
    spool.cut();
    for (let n = 11; n <= 20; n += 1) spool.append('log', TIME, `echo ${n}`);
    await spool.written();
    fill('other');
    for (let n = 21; n <= 30; n += 1) {
      spool.append('log', TIME, 'y'.repeat(5_000));
      if (n === 25) spool.cut();
    }
    await spool.written();
    expect(spool.full).toBe(true);
    expect(spool.congested).toBe(false);
    expect(spool.append('log', TIME, 'later')).toBeNull();
    expect(await spool.finish(RESULT)).toMatchObject({ action: 'end', output: '1', last_seq: 31, last_chunk: 3 });

    const saved: { n: number; seqs: number[]; last: string | undefined }[] = [];
    for (let chunk = await spool.nextChunk(); chunk; chunk = await spool.nextChunk()) {
      const echoes = csvEchoes(await spool.rows(chunk));
      expect([echoes[0]?.seq, echoes.at(-1)?.seq]).toEqual([chunk.from_seq, chunk.to_seq]);
      saved.push({ n: chunk.n, seqs: echoes.map(({ seq }) => seq), last: echoes.at(-1)?.msg });
      spool.acknowledgeChunk(chunk.n);
    }
    expect(saved).toEqual([
      { n: 1, seqs: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], last: 'echo 10' },
      { n: 2, seqs: [11, 12, 13, 14, 15, 16, 17, 18, 19, 20], last: 'echo 20' },
      { n: 3, seqs: [31], last: expect.stringContaining('The worker could not write to its disk.') },
    ]);
    expect(failures.length).toBeGreaterThan(0);
    await spool.remove();
    rmSync(join(disk, 'other'));
  },
);

(isMounted ? test : test.skip)(
  'a run journal entry that a full disk cut is an error, and is ignored when the journal is read',
  () => {
    const { journal } = options();
    journal.accepted('a');
    fill('other');
    const result = { id: 'a', ...RESULT, output: `"${'x'.repeat(100_000)}"`, last_seq: 0, last_chunk: 0 };
    expect(() => journal.ended(result)).toThrow(/^only [1-9]\d* of \d+ bytes/);
    expect(() => journal.accepted('refused')).toThrow('ENOSPC');
    rmSync(join(disk, 'other'));
    const { size } = statSync(join(disk, 'runs.jsonl'));
    journal.forget('refused');
    expect(statSync(join(disk, 'runs.jsonl')).size).toBe(size);
    journal.accepted('b');
    const run = { rows: '', result: null, finished: false };
    const again = options().journal;
    expect(again.left.map(id => [id, again.takeLeft(id)])).toEqual([
      ['a', run],
      ['b', run],
    ]);
    for (const id of ['a', 'b']) journal.forget(id);
  },
);

test('the spool restores a run whose chunk journal has an entry that a full disk cut', async () => {
  failures.length = 0;
  const spool = Spool.create(ID, options());
  for (let n = 1; n <= 3; n += 1) spool.append('log', TIME, `echo ${n}`);
  spool.cut();
  await spool.written();
  spool.append('log', TIME, 'echo 4');
  await spool.written();
  appendFileSync(join(spool.folder, 'journal.jsonl'), '{"chunk":{"n":2,"fr{"acknowledged":1}\n');
  appendFileSync(join(disk, 'runs.jsonl'), `{"id":"${ID}","result":{"action":`);

  const again = await Spool.reopen(ID, options());
  expect(again.result).toBeUndefined();
  expect(await again.finish(RESULT)).toMatchObject({ last_seq: 4, last_chunk: 2 });
  expect(failures).toEqual([]);
  for (const each of [spool, again]) await each.remove();
});
