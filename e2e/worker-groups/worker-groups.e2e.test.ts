import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../harness/child.js';
import type { Api } from '../harness/platform-client.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { until } from '../harness/until.js';

const platform = sharedPlatform();
let admin: Api;
let folder: string;
let skript: string;
const processes: Child[] = [];

beforeAll(async () => {
  admin = await platform.as('admin');
  folder = temporaryFolder('trawl-group-');
  skript = await platform.skript('in a group', { 'main.js': 'module.exports = async ({ n }) => n * 2;' });
});
afterAll(async () => {
  await Promise.all(processes.map(worker => worker.kill('SIGTERM')));
  rmSync(folder, { recursive: true, force: true });
});

/** Prepares a worker process with a data folder of its own. */
function workerProcess(key: string, name: string): Child {
  const worker = new Child('worker/dist/main.js', {
    TRAWL_URL: platform.url,
    TRAWL_WORKER_KEY: key,
    TRAWL_DATA_DIR: join(folder, name),
    TRAWL_SLOTS: '1',
    CHROME_PATH: '/bin/false',
  });
  processes.push(worker);
  return worker;
}

const isConnected = (worker: Child) => async () => worker.log.includes('connected to the platform');

async function outputOn(workerId: string, n: number): Promise<unknown> {
  platform.workerId = workerId;
  const { body } = await platform.startRun(skript, { n });
  return { output: body.output, worker: body.worker };
}

it('two processes with the key of a worker group are two workers; a killed one returns as the same worker', async () => {
  const { body: group } = await admin('POST', '/joint-api/worker-groups/addnew', { name: 'oslo', public: false });
  await admin('POST', `/joint-api/worker-groups/${group.id}/assignments/addnew`, { user_id: platform.developerId });
  const list = async (): Promise<{ id: string; name: string; status: string }[]> =>
    (await admin('GET', `/apps/workers/list?group_id=${group.id}&sort=name`)).body.items;
  const [first, second] = [workerProcess(group.key, 'a'), workerProcess(group.key, 'b')];
  await Promise.all([first, second].map(worker => worker.start(isConnected(worker))));
  const workers = await list();
  expect(workers).toMatchObject([
    { name: 'oslo-1', status: 'online' },
    { name: 'oslo-2', status: 'online' },
  ]);
  for (const [n, { id, name }] of workers.entries()) {
    expect(await outputOn(id, n + 1)).toEqual({ output: 2 * (n + 1), worker: { id, name } });
  }

  await second.kill('SIGKILL');
  await second.start(isConnected(second));
  expect(await list()).toMatchObject(workers.map(({ id }) => ({ id, status: 'online' })));
  for (const { id, name } of workers) {
    expect(await outputOn(id, 21)).toEqual({ output: 42, worker: { id, name } });
  }
});

it('the platform refuses a second process with the key of a connected worker, which continues', async () => {
  const first = await platform.startOwnWorker({ TRAWL_SLOTS: '1' });
  const second = workerProcess(first.key, 'second');
  await second.start(async () => /Another process is connected as worker own-\w+ since/.test(second.log));
  expect(second.log).not.toContain('connected to the platform');
  expect(await outputOn(first.id, 4)).toMatchObject({ output: 8 });

  await first.kill('SIGTERM');
  await until(isConnected(second), 'the second process to take over');
});
