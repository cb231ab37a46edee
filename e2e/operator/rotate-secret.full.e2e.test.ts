import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Platform } from '../harness/platform.js';
import { until } from '../harness/until.js';

const OLD = 'the old secret that is long enough';
const NEW = 'the new secret that is long enough';

/** Pause between the starts of two runs. A rotation takes 30 s, so that many runs are live in it. */
const PAUSE_MS = 500;

/** Code of a skript that needs its secret, and stores documents the whole time. */
const NEEDS_SECRET = `
const { mongo } = require('@trawl/storage');
module.exports = async (n, secret) => {
  if (secret.token !== 's3cret') throw new Error('The secret is ' + JSON.stringify(secret));
  for (let step = 0; step < 5; step++) {
    await mongo.collection('steps').insertOne({ n, step });
    await new Promise(done => setTimeout(done, 200));
  }
  return n;
};`;

let platform: Platform;
let skript: string;
let secretId: string;
beforeAll(async () => {
  platform = await Platform.start({ backendEnv: { TRAWL_SECRET: OLD } });
  skript = await platform.skript('needs secret', { 'main.js': NEEDS_SECRET });
  const developer = await platform.as('developer');
  const secret = { skript_id: skript, name: 'inputSecret.json', val: { token: 's3cret' } };
  secretId = (await developer('POST', '/joint-api/input-secrets/addnew', secret)).body.id;
});
afterAll(() => platform?.close());

/** Starts a run. Tries again while the backend restarts. */
async function begin(n: number): Promise<void> {
  await until(async () => {
    const developer = await platform.as('developer');
    const body = { worker_id: platform.workerId, skript_id: skript, input: n, inputSecret_id: secretId };
    const answer = await developer('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', body).catch(
      () => null,
    );
    // A call whose response was lost has started the run.
    return answer?.status === 202 || answer?.body.error_code === 'already_running' || null;
  }, `run ${n} to begin`);
}

/** Starts a run again and again until the returned function is called. That waits for the end of all runs. */
function keepRunning(): () => Promise<{ action: string; error_message?: string }[]> {
  let goesOn = true;
  const load = (async () => {
    for (let n = 0; goesOn; n++) {
      await begin(n);
      await new Promise(done => setTimeout(done, PAUSE_MS));
    }
  })();
  return async () => {
    goesOn = false;
    await load;
    return until(async () => {
      const developer = await platform.as('developer');
      const list = await developer('GET', `/joint-api/skript-execution/list?skript_id=${skript}&limit=1000`);
      const runs = list.body.items as { action: string }[];
      return runs.every(({ action }) => ['end', 'error', 'stop'].includes(action)) ? runs : null;
    }, 'all runs to end');
  };
}

function startAdmin(...args: string[]) {
  const { env } = platform.backend;
  return spawn(process.execPath, ['backend/dist/operation/admin/trawl-admin.js', ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function restartBackend(secrets: { TRAWL_SECRET: string; TRAWL_SECRET_PREVIOUS: string }): Promise<void> {
  await platform.backend.kill('SIGTERM');
  Object.assign(platform.backend.env, secrets);
  await platform.startBackend();
}

it('no run fails while TRAWL_SECRET is rotated, even if the rotation is killed and backends restart', async () => {
  const allEnded = keepRunning();
  await restartBackend({ TRAWL_SECRET: NEW, TRAWL_SECRET_PREVIOUS: OLD });

  const killed = startAdmin('rotate-secret');
  // By then the rotation has begun, and it is not finished.
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'exit');

  const rotation = startAdmin('rotate-secret');
  const exit = once(rotation, 'exit');
  const [stdout, stderr] = await Promise.all([text(rotation.stdout), text(rotation.stderr)]);
  expect([(await exit)[0], stderr.replace(/^Waiting .*\n/gm, '')]).toEqual([0, '']);
  expect(stdout).toContain('nothing is encrypted with the previous secret any more');

  const runs = await allEnded();
  expect(runs.length).toBeGreaterThan(10);
  expect(runs.filter(({ action }) => action !== 'end')).toEqual([]);

  await restartBackend({ TRAWL_SECRET: NEW, TRAWL_SECRET_PREVIOUS: '' });
  platform.forgetSessions();
  await begin(-1);
  expect((await allEnded()).filter(({ action }) => action !== 'end')).toEqual([]);
});
