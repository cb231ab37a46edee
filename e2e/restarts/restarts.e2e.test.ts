import type { Api } from '../harness/platform-client.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

/** Code of a skript that runs until the platform stops it. */
const UNTIL_STOPPED = `module.exports = () => new Promise(resolve => {
  require('@trawl/echo').echo.log('up');
  const timer = setInterval(() => {}, 1000);
  trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); resolve('stopped'); });
});`;
/** Code of a skript that takes 0.3 s, so that some of many runs are live when the worker restarts. */
const SHORT = 'module.exports = async n => { await new Promise(done => setTimeout(done, 300)); return n; };';
/** More than the worker has slots, so that some of them wait. */
const COUNT = 6;

const platform = sharedPlatform();
let admin: Api;
let untilStopped: string;
let short: string;
beforeAll(async () => {
  await platform.startOwnWorker();
  admin = await platform.as('admin');
  untilStopped = await platform.skript('until stopped', { 'main.js': UNTIL_STOPPED });
  short = await platform.skript('short', { 'main.js': SHORT });
});

const restart = (mode: string) => admin('POST', `/joint-api/workers/${platform.workerId}/restart`, { mode });
const worker = async () => (await admin('GET', `/joint-api/workers/${platform.workerId}`)).body;
const isOnline = () => until(async () => (await worker()).status === 'online', 'the worker to be back');
const isUp = (id: string) =>
  until(async () => (await platform.echoes(id)).some(({ msg }) => msg === 'up'), 'the run to begin');

const beginLong = async () => {
  const id = await platform.begin(untilStopped, null);
  await isUp(id);
  return id;
};
/** A run with the input of a live run would be refused, so each has a number of its own. */
const beginAll = (numbers: number[]) => Promise.all(numbers.map(n => platform.begin(short, n)));
const numbersFrom = (first: number) => Array.from({ length: COUNT }, (_, index) => first + index);
const allEnded = (ids: string[]) => Promise.all(ids.map(id => platform.ended(id)));

it('a drained worker lets its runs end, restarts, and takes the runs that waited for it', async () => {
  const id = await beginLong();
  const early = await beginAll(numbersFrom(0));
  const { status, body } = await restart('drain');
  expect([status, body.status]).toEqual([202, 'draining']);
  expect(body.runs).toBeGreaterThanOrEqual(1);
  const later = await beginAll(numbersFrom(COUNT));
  const developer = await platform.as('developer');
  await developer('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${id}`);
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: 'stopped' });
  const ended = await allEnded([...early, ...later]);
  expect(ended.map(({ action, output }) => [action, output])).toEqual(ended.map((_, n) => ['end', n]));
  await isOnline();
});

it('a stopped worker ends its live runs with `worker_restarted`, and runs waiting ones after the restart', async () => {
  const id = await beginLong();
  const ids = await beginAll(numbersFrom(0));
  expect((await restart('stop')).status).toBe(202);
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_restarted' });
  const ended = await allEnded(ids);
  const stopped = ended.filter(({ action }) => action === 'error');
  expect(stopped.filter(({ error_code }) => error_code !== 'worker_restarted')).toEqual([]);
  expect(stopped.length).toBeLessThan((await worker()).slots);
  expect(ended.filter(({ action }) => action === 'end')).toHaveLength(ids.length - stopped.length);
  await isOnline();
});
