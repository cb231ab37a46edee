import { appForFile } from '../../../test/test-app.js';
import { newAddress } from '../../../test/test-forms.js';
import { fleetForEachTest } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { makeLogger } from '../common/logger.js';

const lines: any[] = [];
const logger = makeLogger({ logLevel: 'info' }, { write: line => void lines.push(JSON.parse(line)) });
const { app, admin } = appForFile({ logger });
const fleet = fleetForEachTest(app);
const line = (msg: string) => lines.find(each => each.msg.startsWith(msg));

it('a log line that a call causes has the request id that the caller received', async () => {
  const user = (await admin('POST', '/joint-api/users/addnew', { username: newAddress() })).body;
  const { status, headers } = await admin('DELETE', `/joint-api/users/${user.id}`);
  expect(status).toBe(200);
  expect(line('account deleted')).toMatchObject({ user: user.id, request_id: headers.get('x-request-id') });
});

it('a log line about a worker’s message for a run names the run and the worker', async () => {
  const worker = await fleet.connect();
  const { body } = await fleet.start();
  await worker.offers.next();
  await app.sql('ALTER TABLE echo_chunks RENAME TO echo_chunks_away');
  try {
    expect(await worker.chunk(body.id, 1, 1, ['hello'])).toMatchObject({ error: { code: 'unavailable' } });
  } finally {
    await app.sql('ALTER TABLE echo_chunks_away RENAME TO echo_chunks');
  }
  const failure = await until(() => line('handling a frame failed'), Boolean);
  expect(failure).toMatchObject({ execution: body.id, worker: expect.stringMatching(/^fleet-/) });
  expect(failure).not.toHaveProperty('request_id');
  await worker.finish(body.id);
});

it('an idle HTTP connection stays open for longer than two minutes, so that proxies can reuse it', async () => {
  const { headers } = await fetch(`${app.url}/health/live`);
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? [];
  expect(Number(seconds)).toBeGreaterThan(120);
});
