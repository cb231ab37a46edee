import { freePortPair, Platform } from '../harness/platform.js';

jest.setTimeout(120_000);

const KEY = 'call-key-of-this-worker-and-of-nothing-else';

let platform: Platform;
let address: string;
let skriptId: string;

beforeAll(async () => {
  platform = await Platform.start();
  const developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: 'calls', scope: 'run' });
  const port = await freePortPair();
  address = `http://127.0.0.1:${port}/execute-skript/start`;
  await platform.worker.kill('SIGTERM');
  Object.assign(platform.worker.env, {
    TRAWL_CALL_PORT: String(port),
    TRAWL_CALL_KEY: KEY,
    TRAWL_CALL_ACCOUNT_KEY: body.key,
  });
  await platform.startWorker();
  skriptId = await platform.skript('Called', {
    'main.js': `module.exports = async input => {
      if (input.fails) throw new Error('as asked');
      return { doubled: 2 * input.n, worker: trawl.worker.id };
    };`,
  });
});
afterAll(() => platform?.close());

async function call(body: object, key = KEY): Promise<{ status: number; body: any }> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('a program beside a worker starts a skript on it, and is answered what main.js returned or why it failed', async () => {
  const answered = await call({ skript_id: skriptId, input: { n: 21 } });
  expect(answered).toEqual({ status: 200, body: { doubled: 42, worker: platform.workerId } });
  const failed = await call({ skript_id: skriptId, input: { fails: true } });
  expect([failed.status, failed.body.error_code]).toEqual([500, 'exception']);
  expect(failed.body.error_message).toMatch(/^Error: as asked/);
  expect((await platform.execution(failed.body.execution_id)).worker.id).toBe(platform.workerId);
});

test('the worker key starts nothing there', async () => {
  const { status } = await call({ skript_id: skriptId, input: { n: 1 } }, platform.worker.env.TRAWL_WORKER_KEY);
  expect(status).toBe(401);
});
