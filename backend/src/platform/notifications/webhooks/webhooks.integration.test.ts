import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stepsOfDeletes } from '../../../../test/delete-steps.js';
import { appForFile } from '../../../../test/test-app.js';
import { mailsOf } from '../../../../test/test-mails.js';
import { isSignedBy, startReceiver, type TestReceiver } from '../../../../test/test-receiver.js';
import { dueBefore, makeSchedule, tick } from '../../../../test/test-schedules.js';
import { fleetForEachTest, sweepLeases } from '../../../../test/test-worker.js';
import { until } from '../../../../test/until.js';
import { makeLogger } from '../../common/logger.js';
import { NotificationMailer } from '../emails/notification-mailer.service.js';
import { DeliveriesRepository, MAX_KEPT, MAX_PENDING } from './deliveries.repository.js';
import { DeliverySenderService } from './delivery-sender.service.js';

const REPOSITORY = join(__dirname, '../../../../..');
const OPERATOR = 'operator@example.com';
const logged: string[] = [];
const { app, developer, admin } = appForFile({
  settings: { outgoingAllow: ['127.0.0.1'], contactEmail: OPERATOR },
  logger: makeLogger({ logLevel: 'info' }, { write: line => void logged.push(line) }),
});
const fleet = fleetForEachTest(app);

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  receiver.close();
  await app.sql('DELETE FROM webhook_endpoints');
  await app.sql('DELETE FROM webhook_deliveries');
});

let count = 0;
const make = async (fields: object = {}, as = developer) => {
  const body = { name: `webhook ${++count}`, url: receiver.url, events: ['run.failed'], ...fields };
  const { status, body: webhook } = await as('POST', '/joint-api/webhooks/addnew', body);
  if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(webhook)}`);
  const path = `/joint-api/webhooks/${webhook.id}`;
  return {
    id: webhook.id as string,
    secret: webhook.secret as string,
    path,
    now: async (): Promise<any> => (await as('GET', path)).body,
    deliveries: async (): Promise<any[]> => (await as('GET', `${path}/deliveries/list`)).body.items,
    test: async (): Promise<any> => (await as('POST', `${path}/test`)).body,
  };
};
type Made = Awaited<ReturnType<typeof make>>;
const lastAttempt = async ({ path }: Made, { id }: { id: string }, attempts: number) =>
  until(
    async () => (await developer('GET', `${path}/deliveries/${id}`)).body,
    delivery => delivery.attempts >= attempts && (delivery.error !== null || delivery.state === 'delivered'),
  );
/** Makes the next attempt of a delivery due now. */
const dueNow = async ({ id }: { id: string }) => {
  await app.sql('UPDATE webhook_deliveries SET next_attempt_at = now() WHERE id = $1', [id]);
  await app.part(DeliverySenderService).sendDue();
};
const waitSeconds = (delivery: any) => (Date.parse(delivery.next_attempt_at) - Date.parse(delivery.updated_at)) / 1000;

describe('a webhook is told', () => {
  it('of each run that ended, once, when no retry follows', async () => {
    const webhook = await make({ events: ['run.completed', 'run.failed', 'run.stopped'] });
    const worker = await fleet.connect({ slots: 8 });
    const start = async (query = '') => (await fleet.start({}, `wait_ms=0&force=true${query}`)).body.id as string;
    const completed = await start();
    await worker.offers.next();
    await worker.finish(completed);
    const failed = await start('&retries=1&retry_delay_ms=0');
    await worker.offers.next();
    const failure = {
      action: 'error',
      output: null,
      error_code: 'exception',
      error_stack: 'Error: no\n    at main.js',
    };
    await worker.finish(failed, failure);
    const retry = (await worker.offers.next()).id;
    await worker.finish(retry, failure);
    const stopped = await start();
    await worker.offers.next();
    await worker.finish(stopped, { action: 'stop', output: null });

    const received = await receiver.came(3);
    const told = Object.fromEntries(received.map(({ body }) => [body.type, body.data]));
    expect(told).toMatchObject({
      'run.completed': { execution_id: completed, action: 'end', error_code: null, attempt: 1 },
      'run.failed': { execution_id: retry, error_code: 'exception', error_message: 'Error: no', attempt: 2 },
      'run.stopped': { execution_id: stopped, skript: { id: fleet.skriptId }, worker: { id: fleet.workerId } },
    });
    expect(received.map(one => isSignedBy(webhook.secret, one))).toEqual([true, true, true]);
    expect(await app.sql('SELECT 1 FROM webhook_deliveries')).toHaveLength(3);
  });

  it('of events of its skript only, until that is removed, and is deleted with the skript', async () => {
    const other = (await developer('POST', '/joint-api/skripts/addnew', { title: 'Another skript' })).body.id;
    const [own, others] = [await make({ skript_id: fleet.skriptId, events: ['run.completed'] }), await make()];
    const changed = await developer('PUT', others.path, { skript_id: other, events: ['run.completed'] });
    expect(changed.body).toMatchObject({ skript_id: other });
    const worker = await fleet.connect();
    const run = async () => {
      await fleet.start({}, 'wait_ms=0&force=true');
      await worker.finish((await worker.offers.next()).id);
    };
    await run();
    expect((await own.deliveries()).map(({ event }) => event)).toEqual(['run.completed']);
    expect(await others.deliveries()).toEqual([]);
    await developer('PUT', others.path, { skript_id: null });
    await run();
    expect(await others.deliveries()).toHaveLength(1);
    await developer('DELETE', `/joint-api/skripts/${fleet.skriptId}`);
    expect((await developer('GET', own.path)).status).toBe(404);
    expect(await others.now()).toMatchObject({ skript_id: null });
  });

  it('of missed fires of a schedule', async () => {
    await make({ events: ['schedule.missed', 'schedule.problem'] });
    const { id, name } = await makeSchedule(developer, { skript_id: fleet.skriptId, cron_span: '* * * * *' });
    await dueBefore(app, id, 600);
    await tick(app);
    const schedule = { id, name };
    const skript = expect.objectContaining({ id: fleet.skriptId });
    await until(
      () => receiver.received.find(({ body }) => body.type === 'schedule.missed')?.body.data,
      data => data !== undefined,
    );
    await developer('DELETE', `/joint-api/skripts/${fleet.skriptId}`);
    const missed = receiver.received.find(({ body }) => body.type === 'schedule.missed');
    expect(missed?.body.data).toEqual({ schedule, skript, missed: expect.any(Number) });
  });
});

describe('a webhook delivery', () => {
  it('is logged with status, duration and the first bytes of a huge answer', async () => {
    receiver.answer = (_request, response) => {
      const more = () => response.write('x'.repeat(100_000), more);
      more();
    };
    const webhook = await make();
    expect(await lastAttempt(webhook, await webhook.test(), 1)).toMatchObject({
      event: 'test',
      state: 'delivered',
      attempts: 1,
      response_status: 200,
      response_body: 'x'.repeat(1_000),
      duration_ms: expect.any(Number),
      error: null,
    });
  });

  it('is retried after growing delays with the same id and body, then fails, and can be sent again', async () => {
    receiver.answer = (_request, response) => void response.writeHead(500).end('broken\0');
    const webhook = await make();
    const sent = await webhook.test();
    const waits: number[] = [];
    for (let attempts = 1; attempts <= 8; attempts += 1) {
      const delivery = await lastAttempt(webhook, sent, attempts);
      expect(delivery).toMatchObject({
        state: 'pending',
        attempts,
        response_status: 500,
        response_body: 'broken\ufffd',
      });
      waits.push(waitSeconds(delivery));
      await dueNow(sent);
    }
    const longest = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    longest.forEach((seconds, index) => {
      expect(waits[index]).toBeGreaterThanOrEqual(seconds - 1);
      expect(waits[index]).toBeLessThanOrEqual(seconds * 1.2 + 1);
    });
    const failed = await lastAttempt(webhook, sent, 9);
    expect(failed).toMatchObject({ state: 'failed', next_attempt_at: null, error: expect.stringContaining('500') });
    expect((await webhook.now()).failing_since).not.toBeNull();

    receiver.answer = (_request, response) => void response.writeHead(204).end();
    await developer('POST', `${webhook.path}/deliveries/${sent.id}/resend`);
    await until(webhook.deliveries, ([delivery]) => delivery.state === 'delivered');
    expect((await webhook.now()).failing_since).toBeNull();
    const received = await receiver.came(10);
    expect(new Set(received.map(({ id }) => id))).toEqual(new Set([sent.id]));
    expect(new Set(received.map(({ text }) => text)).size).toBe(1);
  });

  it('reaches no private address, neither by its URL nor by a redirect', async () => {
    let inner = 0;
    const server = createServer((_request, response) => void response.end(`${++inner}`)).listen(0, '127.0.0.2');
    server.unref();
    await once(server, 'listening');
    const innerUrl = `http://127.0.0.2:${(server.address() as AddressInfo).port}/`;
    const failing = async (url: string) => {
      const webhook = await make({ url });
      return (await lastAttempt(webhook, await webhook.test(), 1)).error;
    };
    const inside = await make();
    await app.sql('UPDATE webhook_endpoints SET url = $1', [innerUrl]);
    const { error } = await lastAttempt(inside, await inside.test(), 1);
    expect(error).toBe('Trawl does not connect to 127.0.0.2: it is not encrypted. Use https.');
    receiver.answer = (_request, response) => void response.writeHead(307, { location: innerUrl }).end();
    expect(await failing(receiver.url)).toMatch('Trawl follows no redirects');
    const gone = await startReceiver();
    gone.close();
    expect(await failing(gone.url)).toMatch('ECONNREFUSED');
    expect(inner).toBe(0);
  });

  it('to a healthy receiver does not wait for slow ones of the same account', async () => {
    receiver.answer = () => undefined;
    for (const slow of [await make(), await make()]) {
      for (let sent = 0; sent < 50; sent += 1) await slow.test();
    }
    const fast = await startReceiver();
    const webhook = await make({ url: fast.url });
    for (let sent = 0; sent < 30; sent += 1) await webhook.test();
    await fast.came(30);
    expect(receiver.received.length).toBeLessThanOrEqual(8);
    fast.close();
  });

  it('of one account does not wait for slow receivers of another account', async () => {
    receiver.answer = () => undefined;
    const slow = await make();
    for (let sent = 0; sent < 50; sent += 1) await slow.test();
    const fast = await startReceiver();
    await (await make({ url: fast.url }, admin)).test();
    await fast.came(1);
    expect(receiver.received.length).toBeLessThanOrEqual(4);
    fast.close();
  });

  it('that a killed backend had begun is sent again with the same id, even if the clock was ahead', async () => {
    const webhook = await make();
    const sent = await app
      .part(DeliveriesRepository)
      .addTest(webhook.id, (await app.sql<any>('SELECT owner_id FROM webhook_endpoints'))[0].owner_id);
    const claimed = await app.part(DeliveriesRepository).claim({ owners: [], webhooks: [] });
    if (claimed === undefined) await receiver.came(1);
    await app.sql(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '30 days'`);
    await app.part(DeliverySenderService).removeOld();
    const [again] = await receiver.came(1);
    expect(again?.id).toBe(sent.id);
  });
});

it('the webhook receiver in the documentation accepts a delivery', async () => {
  const page = readFileSync(join(REPOSITORY, 'website/docs/tech/notifications.mdx'), 'utf8');
  const [, code = ''] = /^```js title="receiver.mjs"\n(.*?)^```$/ms.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'trawl-receiver-'));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), code);
  const port = Number(new URL(receiver.url).port);
  receiver.close();
  const webhook = await make();
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { PORT: String(port), WEBHOOK_SECRET: webhook.secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const printed: string[] = [];
    child.stdout.on('data', chunk => printed.push(String(chunk)));
    const answers = () =>
      fetch(receiver.url, { method: 'POST', body: '{}' }).then(
        ({ status }) => status,
        () => 0,
      );
    expect(await until(answers, status => status > 0)).toBe(401);
    const sent = await webhook.test();
    expect(await lastAttempt(webhook, sent, 1)).toMatchObject({ state: 'delivered', response_status: 204 });
    await developer('POST', `${webhook.path}/deliveries/${sent.id}/resend`);
    expect(await lastAttempt(webhook, sent, 1)).toMatchObject({ state: 'delivered' });
    expect(printed.join('')).toBe('test {}\n');
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
});

describe('a webhook', () => {
  it('is disabled, with an e-mail, when its receiver answers 410 or every delivery failed for three days', async () => {
    receiver.answer = (_request, response) => void response.writeHead(500).end();
    const webhook = await make({ name: 'gone' });
    // No e-mail of another test delays the one of this test.
    await app.part(NotificationMailer).writeDue();
    await app.sql('DELETE FROM notification_settings');
    await app.sql(`UPDATE webhook_endpoints SET failing_since = now() - interval '4 days'`);
    const sent = await webhook.test();
    await lastAttempt(webhook, sent, 1);
    expect((await webhook.now()).enabled).toBe(true);
    await app.sql('UPDATE webhook_endpoints SET failures = 9');
    await dueNow(sent);
    await until(webhook.now, ({ enabled }) => !enabled);
    expect((await webhook.now()).disabled_reason).toMatch(/^Every delivery failed for 3 days.*500/);
    expect(await webhook.deliveries()).toMatchObject([{ state: 'failed', next_attempt_at: null }]);
    const subjects = async () => {
      await app.part(NotificationMailer).writeDue();
      return (await mailsOf(app)).filter(({ to }) => to?.[0]?.address === OPERATOR).map(({ subject }) => subject);
    };
    await until(subjects, all => all.includes('Trawl disabled your webhook “gone”'));
    expect((await developer('POST', `${webhook.path}/test`)).body.error_code).toBe('conflict');

    expect((await developer('PUT', webhook.path, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_reason: null,
      failing_since: null,
    });
    receiver.answer = (_request, response) => void response.writeHead(410).end();
    await webhook.test();
    await until(webhook.now, ({ enabled }) => !enabled);
    expect((await webhook.now()).disabled_reason).toMatch('410 Gone');
  });

  it('signs with both secrets for a day after a rotation of its secret, and shows a secret only once', async () => {
    const webhook = await make();
    const { secret } = (await developer('POST', `${webhook.path}/secret`)).body;
    await webhook.test();
    const [first] = await receiver.came(1);
    expect([webhook.secret, secret].map(one => first && isSignedBy(one, first))).toEqual([true, true]);
    await app.sql('UPDATE webhook_endpoints SET previous_secret_until = now()');
    await webhook.test();
    const [, second] = await receiver.came(2);
    expect([webhook.secret, secret].map(one => second && isSignedBy(one, second))).toEqual([false, true]);
    const answers = JSON.stringify([await webhook.now(), await webhook.deliveries()]);
    const rows = await app.sql<{ row: string }>('SELECT w::text AS row FROM webhook_endpoints w');
    for (const text of [answers, rows[0]?.row, logged.join('')]) {
      expect(text).not.toContain(secret.slice(6));
      expect(text).not.toContain(webhook.secret.slice(6));
    }
  });

  /** Adds this many deliveries that are due in an hour, or have ended. */
  const add = (deliveries: number, state: 'pending' | 'delivered') =>
    app.sql(
      `INSERT INTO webhook_deliveries (webhook_id, owner_id, event, payload, state, next_attempt_at, created_at)
       SELECT id, owner_id, 'test', '{}', $2, CASE $2 WHEN 'pending' THEN now() + interval '1 hour' END,
         now() - n * interval '1 ms'
       FROM webhook_endpoints, generate_series(1, $1) n`,
      [deliveries, state],
    );
  const states = () =>
    app.sql<{ state: string; count: number }>(
      'SELECT state, count(*)::int AS count FROM webhook_deliveries GROUP BY state ORDER BY state',
    );

  it('that its owner disables sends none of its waiting deliveries, also after it is enabled again', async () => {
    const webhook = await make();
    await add(3, 'pending');
    await developer('PUT', webhook.path, { enabled: false });
    expect(await states()).toEqual([{ state: 'failed', count: 3 }]);
    expect(await webhook.deliveries()).toMatchObject(Array(3).fill({ error: 'The webhook was disabled.' }));
    await developer('PUT', webhook.path, { enabled: true });
    await app.part(DeliverySenderService).sendDue();
    expect(await states()).toEqual([{ state: 'failed', count: 3 }]);
  });

  it('is disabled when too many deliveries wait, and keeps a limited number of deliveries', async () => {
    const webhook = await make();
    await add(MAX_PENDING, 'pending');
    await app.part(DeliverySenderService).disableOverfull();
    expect((await webhook.now()).enabled).toBe(true);
    await add(1, 'pending');
    await app.part(DeliverySenderService).disableOverfull();
    expect(await webhook.now()).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining('More than 10000 deliveries waited'),
    });
    expect(await states()).toEqual([{ state: 'failed', count: MAX_PENDING + 1 }]);
    await add(5, 'delivered');
    await app.part(DeliverySenderService).removeOld();
    const [{ count } = { count: 0 }] = await app.sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM webhook_deliveries',
    );
    expect([count >= MAX_KEPT, count <= MAX_KEPT + 5]).toEqual([true, true]);
  });

  it('cannot have a name with characters that change the direction of text', async () => {
    const { path } = await make();
    const { status, body } = await developer('PUT', path, { name: 'on\u202ecall' });
    expect([status, body.error_message]).toEqual([400, expect.stringContaining('change the direction of text')]);
  });

  it('needs a URL with https, a public address and no password, unless the operator allows networks', async () => {
    const refusal = async (url: string) =>
      (await developer('POST', '/joint-api/webhooks/addnew', { name: 'refused', url, events: ['run.failed'] })).body
        .error_message;
    expect(await refusal('https://user:secret@example.com')).toMatch('must not contain a user name or password');
    expect(await refusal('https://127.0.0.2:1/')).toBe(
      'url must lead to an address that Trawl may call. Trawl does not connect to 127.0.0.2: its address is private, loopback or otherwise special.',
    );
    app.config.outgoingAllow.length = 0;
    try {
      expect(await refusal('http://example.com')).toBe('url must begin with https://.');
    } finally {
      app.config.outgoingAllow.push('127.0.0.1');
    }
  });

  it('of a disabled account loses its waiting deliveries, and keeps the others', async () => {
    const webhook = await make();
    await app.sql(`INSERT INTO webhook_deliveries (webhook_id, owner_id, event, payload, state, next_attempt_at)
      SELECT id, owner_id, 'test', '{}', state, CASE state WHEN 'pending' THEN now() + interval '1 hour' END
      FROM webhook_endpoints, unnest(ARRAY['pending', 'delivered']) AS state`);
    await app.part(DeliverySenderService).removeOld();
    expect(await webhook.deliveries()).toHaveLength(2);
    await app.sql(`UPDATE users SET disabled_at = now() WHERE username = 'developer'`);
    await app.part(DeliverySenderService).removeOld();
    await app.sql(`UPDATE users SET disabled_at = NULL WHERE username = 'developer'`);
    expect(await webhook.deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  it('is deleted with its deliveries, and old deliveries are removed', async () => {
    const webhook = await make();
    await webhook.test();
    await receiver.came(1);
    await app.sql(`INSERT INTO webhook_deliveries (webhook_id, owner_id, event, payload, state, next_attempt_at, created_at)
      SELECT id, owner_id, 'test', '{}', 'delivered', NULL, now() - interval '31 days' FROM webhook_endpoints, generate_series(1, 1500)`);
    const removeOld = () => app.part(DeliverySenderService).removeOld();
    expect(await stepsOfDeletes(app, 'webhook_deliveries', removeOld)).toEqual([1_000, 500]);
    expect(await webhook.deliveries()).toHaveLength(1);
    expect((await developer('DELETE', webhook.path)).body).toEqual({ deleted: { webhooks: 1, webhook_deliveries: 1 } });
    expect(await app.sql('SELECT 1 FROM webhook_deliveries')).toEqual([]);
  });
});

it('a webhook is told once of a lost worker if its account is assigned to the worker or is an administrator', async () => {
  await make({ events: ['worker.lost'], url: `${receiver.url}/developer` });
  await make({ events: ['worker.lost'], url: `${receiver.url}/admin` }, admin);
  const lose = async () => {
    await app.sql(`UPDATE worker_leases SET lease_until = now() - interval '2 minutes' WHERE worker_id = $1`, [
      fleet.workerId,
    ]);
    await sweepLeases(app);
  };
  const told = () =>
    app.sql(`SELECT 1 FROM webhook_deliveries WHERE payload #>> '{data,worker,id}' = $1`, [fleet.workerId]);
  await fleet.connect();
  await lose();
  await lose();
  expect(await told()).toHaveLength(1);
  const userId = (await developer('GET', '/joint-api/account')).body.id;
  await admin('POST', `/joint-api/workers/${fleet.workerId}/assignments/addnew`, { user_id: userId });
  await fleet.connect();
  await lose();
  expect(await told()).toHaveLength(3);
  const own = (await receiver.came(3)).filter(({ body }) => body.data.worker.id === fleet.workerId);
  expect(own[0]?.body.data).toEqual({
    worker: { id: fleet.workerId, name: expect.any(String) },
    last_seen_at: expect.any(String),
  });
});
