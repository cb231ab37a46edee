import { freePortPair } from '../harness/ports.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import type { WorkerProcess } from '../harness/worker-process.js';

const CALL_KEY = 'call-key-of-this-worker-and-of-nothing-else';

const platform = sharedPlatform();
let worker: WorkerProcess;
let address: string;
let skriptId: string;

beforeAll(async () => {
  const developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: 'calls', scope: 'run' });
  const port = await freePortPair();
  address = `http://127.0.0.1:${port}/execute-skript/start`;
  worker = await platform.startOwnWorker({
    TRAWL_CALL_PORT: String(port),
    TRAWL_CALL_KEY: CALL_KEY,
    TRAWL_CALL_ACCOUNT_KEY: body.key,
  });
  skriptId = await platform.skript('Called', {
    'main.js': `module.exports = async input => {
      if (input.fails) throw new Error('as asked');
      return { doubled: 2 * input.n, worker: trawl.worker.id };
    };`,
  });
});

async function call(body: object, key = CALL_KEY): Promise<{ status: number; body: any }> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test('a program on the worker’s machine starts a skript through the worker, and gets its output or its error', async () => {
  const answered = await call({ skript_id: skriptId, input: { n: 21 } });
  expect(answered).toEqual({ status: 200, body: { doubled: 42, worker: platform.workerId } });
  const failed = await call({ skript_id: skriptId, input: { fails: true } });
  expect([failed.status, failed.body.error_code]).toEqual([500, 'exception']);
  expect(failed.body.error_message).toMatch(/^Error: as asked/);
  expect((await platform.execution(failed.body.execution_id)).worker.id).toBe(platform.workerId);
});

test('the worker refuses a call that starts a skript if it has the worker key instead of the call key', async () => {
  const { status } = await call({ skript_id: skriptId, input: { n: 1 } }, worker.key);
  expect(status).toBe(401);
});
