import { randomUUID } from 'node:crypto';
import type { Email } from 'postal-mime';
import { DataSource } from 'typeorm';
import { startTestApp, type TestApp } from '../../test/test-app.js';
import { mailsOf, outboxEmpty } from '../../test/test-mails.js';
import { FreeWorkersService } from './free-workers.service.js';

jest.setTimeout(60_000);

const OPERATOR = 'Operator@example.com';

let app: TestApp;
let count = 0;
let earlierMails: number;
let freeWorkers: FreeWorkersService;

beforeAll(async () => {
  app = await startTestApp({ settings: { contactEmail: OPERATOR } });
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
afterAll(() => app?.close());

/** One that would be given. */
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
  await app.part(DataSource).transaction(manager => freeWorkers.give(id, manager));
  return id;
}

const assignedTo = async (userId: string) =>
  (await app.sql<any>('SELECT worker_id FROM worker_assignments WHERE user_id = $1', [userId])).map(
    row => row.worker_id,
  );
/** The e-mails of this test, all to the operator. */
async function told(): Promise<Email[]> {
  await outboxEmpty(app);
  const mails = (await mailsOf(app)).slice(earlierMails);
  expect(mails.filter(({ to }) => to?.[0]?.address !== OPERATOR)).toEqual([]);
  return mails;
}

const waiting = async () =>
  (await app.sql<any>('SELECT user_id FROM waiting_assignments ORDER BY created_at')).map(row => row.user_id);

describe('a worker', () => {
  it.each([
    ['whose connection is gone, though its lease still runs', { connected: false }],
    ['whose lease has run out, though nobody saw its connection go', { leaseMs: -1_000 }],
  ])('%s is given to nobody', async (_what, lease) => {
    await fittingWorker(lease);
    const user = await opened();
    expect([await assignedTo(user), await waiting()]).toEqual([[], [user]]);
    await freeWorkers.giveToWaiting();
    expect(await waiting()).toEqual([user]);
    const fitting = await fittingWorker();
    await freeWorkers.giveToWaiting();
    expect([await assignedTo(user), await waiting()]).toEqual([[fitting], []]);
  });

  it('goes first to the account that has waited longest', async () => {
    const [second, first, third] = [await opened(), await opened(), await opened()];
    await app.sql(`UPDATE waiting_assignments SET created_at = now() - interval '1 hour' WHERE user_id = $1`, [first]);
    await app.sql(`UPDATE waiting_assignments SET created_at = now() + interval '1 hour' WHERE user_id = $1`, [third]);
    const small = await fittingWorker();
    const large = await fittingWorker();
    // What is next to be given is the worker with the fewest accounts; of equal ones, that with the most free slots.
    await app.sql('UPDATE worker_leases SET free_slots = 5 WHERE worker_id = $1', [large]);
    await freeWorkers.giveToWaiting();
    expect([await assignedTo(first), await assignedTo(second), await assignedTo(third)]).toEqual([
      [large],
      [small],
      [large],
    ]);
  });
});

describe('the administrator', () => {
  it('is told once a day how many accounts wait, and where it stands what a worker lacks', async () => {
    await opened();
    await opened();
    await freeWorkers.giveToWaiting();
    await opened();
    await freeWorkers.giveToWaiting();
    const [mail, ...more] = await told();
    expect([mail?.subject, more]).toEqual(['2 accounts wait for a free worker', []]);
    expect(mail?.text).toContain('What a worker lacks for it stands in the list of workers');

    await app.sql(`UPDATE outgoing_mails SET created_at = now() - interval '25 hours'`);
    await freeWorkers.giveToWaiting();
    expect((await told()).map(({ subject }) => subject).slice(1)).toEqual(['3 accounts wait for a free worker']);
  });

  it('is not told again of accounts that were waiting a day ago, nor of those who got their worker', async () => {
    await opened();
    await app.sql(`UPDATE waiting_assignments SET created_at = now() - interval '25 hours'`);
    await freeWorkers.giveToWaiting();
    await fittingWorker();
    await opened();
    await freeWorkers.giveToWaiting();
    expect(await told()).toEqual([]);
  });
});
