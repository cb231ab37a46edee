import type { Api } from '../harness/platform-client.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';

const platform = sharedPlatform();
let admin: Api;
beforeAll(async () => {
  await platform.startOwnWorker();
  admin = await platform.as('admin');
});

/** Code of a skript that runs until the platform stops it. */
const UNTIL_STOPPED = `module.exports = () => new Promise(resolve => {
  require('@trawl/echo').echo.log('up');
  const timer = setInterval(() => {}, 1000);
  trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); resolve('stopped'); });
});`;

const restart = (mode: string) => admin('POST', `/joint-api/workers/${platform.workerId}/restart`, { mode });
const worker = async () => (await admin('GET', `/joint-api/workers/${platform.workerId}`)).body;
const isOnline = () => until(async () => (await worker()).status === 'online', 'the worker to be back');
const isUp = (id: string) =>
  until(async () => (await platform.echoes(id)).some(({ msg }) => msg === 'up'), 'the run to begin');

it('a drained worker lets its run end, restarts, and takes the runs that waited for it', async () => {
  const id = await platform.begin(await platform.skript('before the restart', { 'main.js': UNTIL_STOPPED }), null);
  await isUp(id);
  expect(await restart('drain')).toMatchObject({ status: 202, body: { status: 'draining', runs: 1 } });
  const later = await platform.begin(
    await platform.skript('after the restart', { 'main.js': 'module.exports = async () => 2;' }),
    null,
  );
  const developer = await platform.as('developer');
  await developer('GET', `/joint-api/execute-skript/single-worker/stop?execution_id=${id}`);
  expect(await platform.ended(id)).toMatchObject({ action: 'stop', output: 'stopped' });
  expect(await platform.ended(later)).toMatchObject({ action: 'end', output: 2 });
  await isOnline();
});

it('a stopped worker ends its run with `worker_restarted`, and restarts for the next one', async () => {
  const id = await platform.begin(await platform.skript('for a stopped worker', { 'main.js': UNTIL_STOPPED }), null);
  await isUp(id);
  expect((await restart('stop')).status).toBe(202);
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_restarted' });
  await isOnline();
  const again = await platform.startRun(
    await platform.skript('after the stop', { 'main.js': 'module.exports = async () => 1;' }),
  );
  expect(again).toMatchObject({ status: 200, body: { action: 'end', output: 1 } });
});

describe('with twenty runs started at once', () => {
  /** Code of a skript that takes 0.3 s, so that some runs are live when the worker restarts. */
  const SHORT = 'module.exports = async n => { await new Promise(done => setTimeout(done, 300)); return n; };';
  const beginTwenty = async (title: string) => {
    const skript = await platform.skript(title, { 'main.js': SHORT });
    return Promise.all(Array.from({ length: 20 }, (_, n) => platform.begin(skript, n)));
  };
  const allEnded = (ids: string[]) => Promise.all(ids.map(id => platform.ended(id)));

  it('a drained worker completes all of them', async () => {
    const ids = await beginTwenty('twenty and a drain');
    expect((await restart('drain')).status).toBe(202);
    expect((await allEnded(ids)).map(({ action, output }) => [action, output])).toEqual(ids.map((_, n) => ['end', n]));
    await isOnline();
  });

  it('a stopped worker ends its live runs with `worker_restarted`, and runs the others after the restart', async () => {
    const ids = await beginTwenty('twenty and a stop');
    expect((await restart('stop')).status).toBe(202);
    const ended = await allEnded(ids);
    const stopped = ended.filter(({ action }) => action === 'error');
    expect(new Set(stopped.map(({ error_code }) => error_code))).toEqual(new Set(['worker_restarted']));
    expect(stopped.length).toBeLessThanOrEqual((await worker()).slots);
    expect(ended.filter(({ action }) => action === 'end')).toHaveLength(20 - stopped.length);
    await isOnline();
  });
});
