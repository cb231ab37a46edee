import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_RECORD_PROBLEM_CHARS } from '@trawl/contracts';
import { pino } from 'pino';
import { RECORD_HEAD } from './record-format.js';
import { RunRecord, type RunRecords } from './run-record.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-record-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Saved = { path: string | null; problem: string | null };

/** Saves the record of a run, and returns what is kept. */
async function saved(fill: (record: RunRecord) => void, save: RunRecords['save'] = async () => {}): Promise<Saved[]> {
  const redacted = (text: string) => text.replaceAll('correct-horse', '[secret]').replaceAll(folder, '');
  const record = new RunRecord(join(folder, 'record'), { log: pino({ level: 'silent' }), redacted });
  fill(record);
  const all: Saved[] = [];
  await record.save('id', {
    save: async (id, path, about) => {
      all.push({ path: path && 'record', problem: about.problem });
      await save(id, path, about);
    },
    load: async () => {},
  });
  return all;
}

const HEAD = {
  method: 'GET',
  url: 'http://site.test/',
  request: '',
  status: 200,
  status_text: '',
  headers: [],
  error: null,
  packed: 0,
  body: 0,
};
const begin = (record: RunRecord) => record.append(Buffer.from(RECORD_HEAD));

test.each<[string, (record: RunRecord) => void]>([
  ['what a record lacks', record => record.lacks('GET /\u001b[2J\n?key=correct-horse\u0000is missing')],
  [
    'a part of the record itself',
    record =>
      record.append(
        Buffer.from(`${JSON.stringify({ ...HEAD, '\u001b[2J\n?key=correct-horse\u0000is missing': 1 })}\n`),
      ),
  ],
])('%s is shown without secrets and control characters', async (_what, fill) => {
  const [{ problem }] = (await saved(record => {
    begin(record);
    fill(record);
  })) as [Saved];
  expect(problem).toContain('?key=[secret] is missing');
  expect(problem).not.toMatch(/\p{Cc}/u);
});

test('a long text is cut, and its secret is not cut in two', async () => {
  const [{ problem }] = (await saved(record => {
    begin(record);
    record.lacks('correct-horse'.repeat(1_000));
    record.lacks('GET /b');
  })) as [Saved];
  expect(problem?.length).toBeLessThanOrEqual(MAX_RECORD_PROBLEM_CHARS);
  expect(problem).not.toMatch(/corr/);
});

test('if the platform does not take the record, the run shows the reason', async () => {
  const kept = await saved(begin, async (_id, path) => {
    if (path !== null) throw new Error(`it answered 413 to ${folder}/x`);
  });
  expect(kept).toEqual([
    { path: 'record', problem: expect.stringContaining('no HTTP exchange') },
    { path: null, problem: 'The worker could not save the record. it answered 413 to /x' },
  ]);
});
