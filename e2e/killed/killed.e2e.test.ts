import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';

jest.setTimeout(120_000);

let platform: Platform;
beforeAll(async () => {
  platform = await Platform.start();
});
afterAll(() => platform.close());

/** Echoes a line every 20 ms and stores a row for each. Its process has the title that it is given. */
const TALKER = `
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');
module.exports = async ({ lines, collection, title }) => {
  process.title = title;
  for (let line = 1; line <= lines; line++) {
    echo.log('line ' + line);
    await mongo.collection(collection).insertOne({ line });
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  return { lines };
};
`;

const said = (id: string, text: string) =>
  until(async () => (await platform.echoes(id)).some(echo => echo.msg === text), `the run to say "${text}"`);

/** Whatever number it has in its sandbox. */
const isThere = (title: string): boolean =>
  readdirSync('/proc').some(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(title);
    } catch {
      return false; // gone meanwhile
    }
  });

it('a worker killed in the middle of a run: the run ends worker_lost, and its process is gone', async () => {
  const skript = await platform.skript('talker for a killed worker', { 'main.js': TALKER });
  const title = `talker ${randomUUID()}`;
  const id = await platform.begin(skript, { lines: 100_000, collection: 'killed_worker', title });
  await said(id, 'line 5');
  expect(isThere(title)).toBe(true);

  await platform.worker.kill('SIGKILL');
  const execution = await platform.ended(id);

  expect(execution).toMatchObject({ action: 'error', error_code: 'worker_lost' });
  await until(async () => !isThere(title), 'the run’s process to be gone');

  // What it had said is not lost with it: the worker's disk has it, and its next start sends it.
  await platform.startWorker();
  await until(
    async () => (await platform.echoes(id)).some(echo => echo.msg === 'line 5'),
    'the echoes of the lost run',
  );
  const again = await platform.startRun(
    await platform.skript('after the kill', { 'main.js': 'module.exports = async () => 1' }),
  );
  expect(again).toMatchObject({ status: 200, body: { action: 'end', output: 1 } });
});

it('a backend killed in the middle of a run: the run goes on, and its output, every echo and every row are there', async () => {
  const lines = 150;
  const skript = await platform.skript('talker for a killed backend', { 'main.js': TALKER });
  const id = await platform.begin(skript, { lines, collection: 'killed_backend', title: 'talker' });
  await said(id, 'line 5');

  await platform.backend.kill('SIGKILL');
  await platform.startBackend();
  const execution = await platform.ended(id);

  expect(execution).toMatchObject({ action: 'end', output: { lines } });
  const echoes = await until(async () => {
    const all = await platform.echoes(id);
    return all.length === execution.last_seq && all;
  }, 'every echo to be saved');
  expect(echoes.map(echo => echo.seq)).toEqual(Array.from({ length: lines }, (_, index) => index + 1));
  expect(echoes.map(echo => echo.msg)).toEqual(Array.from({ length: lines }, (_, index) => `line ${index + 1}`));
  const rows = await platform.documents('killed_backend');
  expect(rows.map(row => row.line).sort((a, b) => a - b)).toEqual(
    Array.from({ length: lines }, (_, index) => index + 1),
  );
});
