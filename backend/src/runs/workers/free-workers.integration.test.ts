import { randomUUID } from 'node:crypto';
import type { Email } from 'postal-mime';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../test/test-app.js';
import { mailsOf, outboxEmpty } from '../../../test/test-mails.js';
import { FreeWorkersService } from './free-workers.service.js';

const OPERATOR = 'Operator@example.com';

const { app } = appForFile({ settings: { contactEmail: OPERATOR } });
let count = 0;
let earlierMails: number;
let freeWorkers: FreeWorkersService;

beforeAll(async () => {
  freeWorkers = app.part(FreeWorkersService);
});
beforeEach(async () => {
  earlierMails = (await mailsOf(app)).length;
});
afterEach(async () => {
  await outboxEmpty(app);
  await app.sql('DELETE FROM workers');
  await app.sql('DELETE FROM waiting_assignments');
  await app.sql('DELETE FROM outgoing_mails');
});

/** Creates a worker that is suitable as a free worker, unless `lease` says otherwise. */
async function fittingWorker(lease: { connected?: boolean; leaseMs?: number } = {}): Promise<string> {
  const { connected = true, leaseMs = 60_000 } = lease;
  const admin = await app.as('admin');
  const { body } = await admin('POST', '/joint-api/workers/addnew', { name: `free-${++count}`, public: true });
  await app.sql(`UPDATE workers SET sandbox = 'full' WHERE id = $1`, [body.id]);
  await app.sql(
    `INSERT INTO worker_leases (worker_id, boot_id, replica_id, lease_until, free_slots)
     VALUES ($1, $2, $3, now() + $4 * interval '1 ms', 1)`,
    [body.id, randomUUID(), connected ? randomUUID() : null, leaseMs],
  );
  return body.id;
}

async function account(): Promise<string> {
  const id = randomUUID();
  await app.sql(`INSERT INTO users (id, username, role) VALUES ($1, $2, 'developer')`, [id, `${id}@example.com`]);
  return id;
}

async function opened(): Promise<string> {
  const id = await account();
  await app.part(DataSource).transaction(manager => freeWorkers.assign(id, manager));
  return id;
}

const assignedTo = async (userId: string) =>
  (await app.sql<any>('SELECT worker_id FROM worker_assignments WHERE user_id = $1', [userId])).map(
    row => row.worker_id,
  );
/** Returns the e-mails sent in this test, and checks that all went to the operator. */
async function told(): Promise<Email[]> {
  await outboxEmpty(app);
  const mails = (await mailsOf(app)).slice(earlierMails);
  expect(mails.filter(({ to }) => to?.[0]?.address !== OPERATOR)).toEqual([]);
  return mails;
}

const waiting = async () =>
  (await app.sql<any>('SELECT user_id FROM waiting_assignments ORDER BY created_at')).map(row => row.user_id);

describe('a free worker', () => {
  it.each([
    ['whose connection is gone, though its lease still runs', { connected: false }],
    ['whose lease has run out, though nobody saw its connection go', { leaseMs: -1_000 }],
  ])('%s is not assigned to a new account', async (_what, lease) => {
    await fittingWorker(lease);
    const user = await opened();
    expect([await assignedTo(user), await waiting()]).toEqual([[], [user]]);
    await freeWorkers.assignToWaiting();
    expect(await waiting()).toEqual([user]);
    const fitting = await fittingWorker();
    await freeWorkers.assignToWaiting();
    expect([await assignedTo(user), await waiting()]).toEqual([[fitting], []]);
  });

  it('is assigned first to the account that has waited longest', async () => {
    const [second, first, third] = [await opened(), await opened(), await opened()];
    await app.sql(`UPDATE waiting_assignments SET created_at = now() - interval '1 hour' WHERE user_id = $1`, [first]);
    await app.sql(`UPDATE waiting_assignments SET created_at = now() + interval '1 hour' WHERE user_id = $1`, [third]);
    const small = await fittingWorker();
    const large = await fittingWorker();
    // The worker with the fewest accounts is assigned first. If several have equally few, the one with the most free
    // slots is.
    await app.sql('UPDATE worker_leases SET free_slots = 5 WHERE worker_id = $1', [large]);
    await freeWorkers.assignToWaiting();
    expect([await assignedTo(first), await assignedTo(second), await assignedTo(third)]).toEqual([
      [large],
      [small],
      [large],
    ]);
  });
});

describe('the administrator', () => {
  it('gets one e-mail a day with the number of accounts that wait for a free worker', async () => {
    await opened();
    await opened();
    await freeWorkers.assignToWaiting();
    await opened();
    await freeWorkers.assignToWaiting();
    const [mail, ...more] = await told();
    expect([mail?.subject, more]).toEqual(['2 accounts are waiting for a free worker', []]);
    expect(mail?.text).toContain('The list of workers in the panel shows what a worker lacks');

    await app.sql(`UPDATE outgoing_mails SET created_at = now() - interval '25 hours'`);
    await freeWorkers.assignToWaiting();
    expect((await told()).map(({ subject }) => subject).slice(1)).toEqual(['3 accounts are waiting for a free worker']);
  });

  it('gets no e-mail about accounts that have waited for over a day or have got their free worker', async () => {
    await opened();
    await app.sql(`UPDATE waiting_assignments SET created_at = now() - interval '25 hours'`);
    await freeWorkers.assignToWaiting();
    await fittingWorker();
    await opened();
    await freeWorkers.assignToWaiting();
    expect(await told()).toEqual([]);
  });
});
