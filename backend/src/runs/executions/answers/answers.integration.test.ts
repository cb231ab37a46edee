import { randomUUID } from 'node:crypto';
import type { AnswerResult } from '@trawl/contracts';
import { type Api, appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const LAST = { seq: 3, answer: 'the last' };
const send = (id: string, body: object = LAST, as: Api = developer) =>
  as('POST', `/joint-api/skript-execution/${id}/answers`, body);
const stored = async (id: string) => {
  const [row] = await app.sql<{ answers: object | null }>('SELECT answers FROM live_runs WHERE execution_id = $1', [
    id,
  ]);
  return row?.answers ?? null;
};

it('an answer to a question is delivered to the run’s worker, and is not kept in the database', async () => {
  const worker = await fleet.connect();
  const { id } = (await fleet.start()).body;
  expect(await send(id)).toMatchObject({ status: 200, body: { delivered: true } });
  expect(await worker.answers.next()).toEqual({ id, ...LAST, key: expect.any(String) });
  expect(await stored(id)).toBeNull();
});

it.each<[AnswerResult['result'], number, string, RegExp]>([
  ['closed', 409, 'conflict', /question of echo 3 is closed/],
  ['unknown', 404, 'not_found', /no question with the seq 3/],
  ['not_a_choice', 400, 'validation_failed', /one of the choices/],
])('an answer is refused if the worker says that the question is %s', async (result, status, error_code, message) => {
  const worker = await fleet.connect();
  worker.answerToAnswers = result;
  const { id } = (await fleet.start()).body;
  expect(await send(id)).toMatchObject({ status, body: { error_code, error_message: expect.stringMatching(message) } });
  expect(await stored(id)).toBeNull();
});

it('an answer to a question is stored encrypted while the worker is offline, and delivered when it reconnects', async () => {
  let worker = await fleet.connect();
  const { id } = (await fleet.start()).body;
  await worker.offers.next();
  worker.close();
  await fleet.untilOffline();
  expect(await send(id)).toMatchObject({ status: 202, body: { delivered: false } });
  expect(JSON.stringify(await stored(id))).toMatch(/^\{"[0-9a-f-]{36}":\{"seq":3,"sealed":"(?!.*last)/);
  worker = await fleet.connect({ boot_id: worker.bootId, live: [id] });
  expect(await worker.answers.next()).toMatchObject({ id, ...LAST });
  await until(
    () => stored(id),
    answers => answers === null,
  );
});

it('an answer is refused if the run has ended, has no worker yet or belongs to another user', async () => {
  const waiting = (await fleet.start({ input: 1 })).body.id;
  expect((await send(waiting)).body).toMatchObject({ error_code: 'not_found' });
  const worker = await fleet.connect();
  await worker.offers.next();
  for (const id of [waiting, randomUUID()]) expect((await send(id, LAST, admin)).body.error_code).toBe('not_found');
  expect(worker.answers.all).toEqual([]);
  await worker.finish(waiting);
  expect(await send(waiting)).toMatchObject({ status: 404, body: { error_code: 'no_live_run' } });
});
