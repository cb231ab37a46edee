import { randomUUID } from 'node:crypto';
import { appForFile } from '../../../../../test/test-app.js';
import { makeWorkerAndSkript, type TestFleet, TestWorker } from '../../../../../test/test-worker.js';

const { app, developer } = appForFile();
let one: TestFleet;
let other: TestFleet;
let workers: TestWorker[] = [];
let count = 0;

const START = '/joint-api/execute-skript/multi-worker/start';

beforeEach(async () => {
  one = await makeWorkerAndSkript(app, `one-${++count}`);
  other = await makeWorkerAndSkript(app, `other-${count}`);
  workers = await Promise.all([one, other].map(({ key }) => TestWorker.connect(app, key)));
});
afterEach(() => {
  for (const worker of workers) worker.close();
});

const start = (body: object = {}, query = '', headers = {}) =>
  developer(
    'POST',
    `${START}?${query}`,
    { worker_ids: [one.workerId, other.workerId], skript_id: one.skriptId, ...body },
    headers,
  );

it('a multi-worker start offers the run to every worker at once and answers when all runs have ended', async () => {
  const answer = start({ input: { a: 1 } });
  const offers = await Promise.all(workers.map(worker => worker.offers.next()));
  expect(offers.map(({ input }) => input)).toEqual(['{"a":1}', '{"a":1}']);
  await workers[1]?.finish(offers[1]?.id as string, { output: '"second"' });
  await workers[0]?.finish(offers[0]?.id as string, { output: '"first"' });
  expect(await answer).toMatchObject({
    status: 200,
    body: {
      going_on: 0,
      results: [
        { worker_id: one.workerId, status: 200, execution: { output: 'first', action: 'end' } },
        { worker_id: other.workerId, status: 200, execution: { output: 'second', action: 'end' } },
      ],
    },
  });
});

it('a multi-worker start accepts ids of a saved input and secret, but no id together with a value', async () => {
  const add = async (kind: string, name: string) =>
    (await developer('POST', `/joint-api/${kind}/addnew`, { skript_id: one.skriptId, name, val: name })).body.id;
  const saved = {
    input_id: await add('inputs', 'inputMany.json'),
    inputSecret_id: await add('input-secrets', 'inputSecretMany.json'),
  };
  const { body } = await start(saved, 'wait_ms=0');
  expect(body.results.map(({ execution }: any) => execution.input.id)).toEqual([saved.input_id, saved.input_id]);
  for (const offer of await Promise.all(workers.map(worker => worker.offers.next()))) {
    expect(offer).toMatchObject({ input: '"inputMany.json"', input_secret: '"inputSecretMany.json"' });
  }
  expect(await start({ ...saved, input: 1 })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'input_id' }] },
  });
});

it('a multi-worker start answers 202 while runs are live, with an error for each worker that cannot take one', async () => {
  const nobody = randomUUID();
  await start({ worker_ids: [one.workerId] }, 'wait_ms=0');
  const { status, body } = await start({ worker_ids: [one.workerId, nobody, other.workerId] }, 'wait_ms=0');
  expect(status).toBe(202);
  expect(body).toMatchObject({
    going_on: 1,
    results: [
      { status: 409, error: { error_code: 'already_running', details: { execution_id: expect.any(String) } } },
      { worker_id: nobody, status: 404, error: { error_code: 'not_found' } },
      { worker_id: other.workerId, status: 202, execution: { action: 'start' } },
    ],
  });
  const stopped = await developer('GET', `/joint-api/execute-skript/single-worker/stop?skript_id=${one.skriptId}`);
  expect(stopped.body).toHaveLength(2);
});

it('a multi-worker start repeated with its Idempotency-Key returns the same runs; a different one is refused', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const first = await start({}, 'wait_ms=0', key);
  const again = await start({}, 'wait_ms=0', key);
  const ids = (answer: typeof first) => answer.body.results.map(({ execution }: any) => execution.id);
  expect(ids(again)).toEqual(ids(first));
  expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
  expect(workers.map(({ offers }) => offers.all.length)).toEqual([1, 1]);
  for (const [body, query] of [
    [{ input: 1 }, 'wait_ms=0'],
    [{ worker_ids: [one.workerId] }, 'wait_ms=0'],
    [{}, 'wait_ms=0&retries=2'],
  ] as const) {
    expect(await start(body, query, key)).toMatchObject({
      status: 409,
      body: { error_code: 'idempotency_key_reused' },
    });
  }
});

it.each([[[]], [['any', 'any']], [['nobody']], ['any'], [Array.from({ length: 101 }, () => randomUUID())]])(
  'a multi-worker start refuses the worker ids %j',
  async worker_ids => {
    expect(await start({ worker_ids })).toMatchObject({ status: 400, body: { details: [{ field: 'worker_ids' }] } });
  },
);

it('a multi-worker start of an unknown skript answers 404', async () => {
  expect((await start({ skript_id: randomUUID() })).status).toBe(404);
});
