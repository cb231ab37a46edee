import { type Api, Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';

jest.setTimeout(120_000);

let platform: Platform;
let admin: Api;
beforeAll(async () => {
  platform = await Platform.start();
  admin = await platform.as('admin');
});
afterAll(() => platform.close());

/** Goes on until it is told to stop. */
const WAITS = `module.exports = () => new Promise(resolve => {
  require('@trawl/echo').echo.log('up');
  const timer = setInterval(() => {}, 1000);
  trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); resolve('stopped'); });
});`;

const restart = (mode: string) => admin('POST', `/joint-api/workers/${platform.workerId}/restart`, { mode });
const worker = async () => (await admin('GET', `/joint-api/workers/${platform.workerId}`)).body;
const isOnline = () => until(async () => (await worker()).status === 'online', 'the worker to be back');
const isUp = (id: string) =>
  until(async () => (await platform.echoes(id)).some(({ msg }) => msg === 'up'), 'the run to begin');

it('a worker that is drained lets its run end, comes back by itself, and takes what waited for it', async () => {
  const id = await platform.begin(await platform.skript('before the restart', { 'main.js': WAITS }), null);
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

it('a worker that is stopped ends its run with the reason, and is back for the next', async () => {
  const id = await platform.begin(await platform.skript('for a stopped worker', { 'main.js': WAITS }), null);
  await isUp(id);
  expect((await restart('stop')).status).toBe(202);
  expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_restarted' });
  await isOnline();
  const again = await platform.startRun(
    await platform.skript('after the stop', { 'main.js': 'module.exports = async () => 1;' }),
  );
  expect(again).toMatchObject({ status: 200, body: { action: 'end', output: 1 } });
});

describe('with twenty runs asked of it at once', () => {
  /** Takes long enough for the restart to find some under way. */
  const SHORT = 'module.exports = async n => { await new Promise(done => setTimeout(done, 300)); return n; };';
  const beginTwenty = async (title: string) => {
    const skript = await platform.skript(title, { 'main.js': SHORT });
    return Promise.all(Array.from({ length: 20 }, (_, n) => platform.begin(skript, n)));
  };
  const endings = (ids: string[]) => Promise.all(ids.map(id => platform.ended(id)));

  it('a worker that is drained loses none of them', async () => {
    const ids = await beginTwenty('twenty and a drain');
    expect((await restart('drain')).status).toBe(202);
    expect((await endings(ids)).map(({ action, output }) => [action, output])).toEqual(ids.map((_, n) => ['end', n]));
    await isOnline();
  });

  it('a worker that is stopped ends those that it has, with the reason, and takes the others when it is back', async () => {
    const ids = await beginTwenty('twenty and a stop');
    expect((await restart('stop')).status).toBe(202);
    const ended = await endings(ids);
    const stopped = ended.filter(({ action }) => action === 'error');
    expect(new Set(stopped.map(({ error_code }) => error_code))).toEqual(new Set(['worker_restarted']));
    expect(stopped.length).toBeLessThanOrEqual((await worker()).slots);
    expect(ended.filter(({ action }) => action === 'end')).toHaveLength(20 - stopped.length);
    await isOnline();
  });
});
