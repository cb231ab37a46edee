import { appForFile } from '../../../../test/test-app.js';
import { mailsOf, notificationsTo } from '../../../../test/test-mails.js';
import { until } from '../../../../test/until.js';
import { IssuesService } from '../../../runs/issues/issues.service.js';
import { NotificationMailer } from './notification-mailer.service.js';

const OWNER = 'owner@example.com';
const RUN = '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071';
const { app, developer } = appForFile();

const settings = '/joint-api/account/notifications';
let userId: string;
beforeAll(async () => {
  userId = (await developer('GET', '/joint-api/account')).body.id;
  await app.sql('UPDATE users SET username = $2 WHERE id = $1', [userId, OWNER]);
});

/** Records failed runs of a skript. */
const fail = (skript: string, times: number, error_message = 'Error: out of <b>fish</b>') =>
  app.sql(
    `SELECT record_events(array_fill($1::uuid, ARRAY[$2::int]), array_fill('run.failed'::text, ARRAY[$2::int]),
       array_fill($3::json, ARRAY[$2::int]))`,
    [
      userId,
      times,
      JSON.stringify({ execution_id: RUN, skript: { name: skript }, error_code: 'exception', error_message }),
    ],
  );
const anHourLater = () => app.sql(`UPDATE notification_settings SET mailed_at = mailed_at - interval '1 hour'`);

it('notification e-mails are sent for schedules and quotas by default, otherwise as the account chose', async () => {
  expect((await developer('GET', settings)).body).toEqual({
    email_events: ['schedule.missed', 'schedule.problem', 'quota.warning'],
  });
  await fail('unwanted', 1);
  await notificationsTo(app, OWNER, 0);
  const chosen = { email_events: ['run.failed'] };
  expect((await developer('PUT', settings, chosen)).body).toEqual(chosen);
  expect((await developer('GET', settings)).body).toEqual(chosen);
});

it('the first notification is e-mailed at once, and later ones in one digest an hour', async () => {
  await fail('Prices', 1);
  const [first] = await notificationsTo(app, OWNER, 1);
  expect(first?.subject).toBe('A run of “Prices” failed: exception');
  expect(first?.text).toContain('> Error: out of <b>fish</b>');
  expect(first?.html).not.toContain('<b>fish');
  expect(first?.text).toMatch(
    new RegExp(`^Open the run:\\nhttp://[^/]+/panel/developer/skript-executions/${RUN}$`, 'm'),
  );
  await fail('Prices', 999);
  await fail('Books', 1);
  for (let skripts = 0; skripts < 30; skripts += 1) await fail(`Skript ${skripts}`, 1);
  await notificationsTo(app, OWNER, 1);
  await anHourLater();
  const [, digest] = await notificationsTo(app, OWNER, 2);
  expect(digest?.subject).toBe('32 notifications from Trawl');
  expect(digest?.text).toContain('999 runs of “Prices” failed');
  expect(digest?.text).toContain('A run of “Books” failed: exception');
  expect(digest?.text).toContain('12 more notifications');
  expect(digest?.text).toMatch(/^Open the panel:\nhttp:\/\/[^/]+\/panel\/developer$/m);
  await anHourLater();
  await notificationsTo(app, OWNER, 2);
});

it('notification e-mails have the link to a finished export and the reason of a failed import', async () => {
  await developer('PUT', settings, { email_events: ['export.finished', 'import.finished'] });
  const record = (event: string, data: object) =>
    app.sql('SELECT record_events(ARRAY[$1::uuid], ARRAY[$2], ARRAY[$3::json])', [userId, event, JSON.stringify(data)]);
  await anHourLater();
  await record('export.finished', { export: { name: 'books.csv' }, state: 'done', rows: 7, link: 'https://x/file' });
  const ready = (await notificationsTo(app, OWNER, 3))[2];
  expect(ready?.subject).toBe('Your export “books.csv” is done');
  expect(ready?.text).toContain('Rows: 7');
  expect(ready?.text).toContain('https://x/file');
  await anHourLater();
  await record('import.finished', { import: { name: 'rows.csv' }, state: 'failed', error_message: 'Row 7 is bad.' });
  const failed = (await notificationsTo(app, OWNER, 4))[3];
  expect([failed?.subject, failed?.text]).toEqual([
    'Your import “rows.csv” failed',
    expect.stringContaining('> Row 7 is bad.'),
  ]);
  await developer('PUT', settings, { email_events: ['run.failed'] });
});

it('notification e-mails are sent without waiting for a clock that was set back', async () => {
  await app.sql(`UPDATE notification_settings SET mailed_at = now() + interval '3 days'`);
  await fail('Later', 1);
  await notificationsTo(app, OWNER, 5);
});

it('waiting notification e-mails are dropped when their account is gone', async () => {
  await fail('Left', 2);
  await app.sql(`UPDATE notification_emails SET owner_id = gen_random_uuid()`);
  await anHourLater();
  await notificationsTo(app, OWNER, 5);
  expect(await app.sql('SELECT 1 FROM notification_emails')).toEqual([]);
});

it('notification e-mails have a line for each issue with its number of runs, and leave out muted issues', async () => {
  // The backend counts runs without an issue within a second, perhaps before the test has given them one.
  const counting = jest.spyOn(app.part(IssuesService), 'countFailures').mockResolvedValue();
  /** Records failed runs that an issue has counted; without an issue, runs that no issue has counted yet. */
  const failIn = async (issue: string | null, times: number) => {
    for (let count = 0; count < times; count += 1) {
      const [run] = await app.sql<any>('INSERT INTO failures VALUES (gen_random_uuid(), $1) RETURNING execution_id', [
        issue,
      ]);
      const data = { execution_id: run.execution_id, skript: { name: 'Fares' }, error_code: 'exception' };
      await app.sql(`SELECT record_events(ARRAY[$1::uuid], ARRAY['run.failed'], ARRAY[$2::json])`, [
        userId,
        JSON.stringify(data),
      ]);
    }
  };
  const issue = async (message: string, status = 'open') => {
    const [{ id }] = await app.sql<any>(
      `INSERT INTO issues (id, owner_id, skript_id, skript_name, fingerprint, error_code, message, status, runs,
         first_run_id, last_run_id, first_seen_at, last_seen_at)
       VALUES (gen_random_uuid(), $1, $2, 'Fares', sha256($3::text::bytea), 'exception', $3, $4, 1, $2, $2, now(), now())
       RETURNING id`,
      [userId, RUN, message, status],
    );
    return id;
  };
  const sent = (await notificationsTo(app, OWNER, 5)).length;
  await app.sql(`UPDATE notification_settings SET mailed_at = now()`);
  await failIn(await issue('Error: no fare'), 14);
  await failIn(await issue('Error: no stops'), 1);
  await failIn(await issue('Error: known', 'muted'), 3);
  await anHourLater();
  const digest = (await notificationsTo(app, OWNER, sent + 1)).at(-1);
  expect(digest?.subject).toBe('2 notifications from Trawl');
  expect(digest?.text).toContain('“Fares” failed in 14 runs: Error: no fare');
  expect(digest?.text).toContain('A run of “Fares” failed: exception');
  expect(digest?.text).not.toContain('known');

  await failIn(null, 1);
  await anHourLater();
  await notificationsTo(app, OWNER, sent + 1);
  const once = await issue('Error: no ticket');
  await app.sql('UPDATE failures SET issue_id = $1 WHERE issue_id IS NULL', [once]);
  await failIn(once, 1);
  const both = (await notificationsTo(app, OWNER, sent + 2)).at(-1);
  expect(both?.subject).toBe('“Fares” failed in 2 runs: Error: no ticket');
  counting.mockRestore();
});

it('an account whose e-mail cannot be written keeps no other account waiting', async () => {
  const [user = { id: '' }] = await app.sql<{ id: string }>(
    `INSERT INTO users (id, username, role) VALUES ('00000000-0000-4000-8000-000000000001', 'first@example.com', 'developer') RETURNING id`,
  );
  const damaged = () => app.sql('SELECT event FROM notification_emails WHERE owner_id = $1', [user.id]);
  await app.sql(`INSERT INTO notification_emails (owner_id, event, payload) VALUES ($1, 'no.such.event', '{}')`, [
    user.id,
  ]);
  await anHourLater();
  await fail('Behind', 1);
  await app.part(NotificationMailer).writeDue();
  await until(
    async () => (await mailsOf(app)).map(({ subject }) => subject),
    subjects => subjects.includes('A run of “Behind” failed: exception'),
  );
  expect(await damaged()).toHaveLength(1);
  await app.sql('DELETE FROM users WHERE id = $1', [user.id]);
});
