import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../../../test/test-app.js';
import { notificationsTo } from '../../../../../test/test-mails.js';
import { until } from '../../../../../test/until.js';
import { DueWork } from '../../../../platform/database/due-work.service.js';
import { RowAlarmsRepository } from './row-alarms.repository.js';

const ADDRESS = 'operator@example.com';
/** More than one batch. */
const SKRIPTS = 120;
const { app, developer, admin } = appForFile({ settings: { contactEmail: ADDRESS } });

async function addSkript(): Promise<string> {
  const body = { title: `Shop ${randomUUID()}`, rows: { fresh_hours: 26 } };
  return (await developer('POST', '/joint-api/skripts/addnew', body)).body.id;
}

/** Makes all alarms due in so many minutes. */
const dueIn = (minutes: number) =>
  app.sql(`UPDATE row_alarms SET due_at = now() + $1 * interval '1 minute', told_at = NULL`, [minutes]);
const lookedBefore = (minutes: number) =>
  app.sql(`UPDATE alarms_looked_for SET at = now() - $1 * interval '1 minute'`, [minutes]);
/** Returns in how many minutes the alarms are due. */
const minutesLeft = async (): Promise<number[]> => {
  const rows = await app.sql<{ minutes: number }>(
    'SELECT DISTINCT round(extract(epoch FROM due_at - now()) / 60)::int AS minutes FROM row_alarms',
  );
  return rows.map(({ minutes }) => minutes);
};
const numberOfNotices = async (): Promise<number> => {
  const { items } = (await developer('GET', '/joint-api/account/notices/list?limit=1000')).body;
  return (items as { text: string }[]).filter(({ text }) => text.includes('too old')).length;
};
/** Waits until a look has ended. */
const looked = () =>
  until(
    async () => {
      await app.part(DueWork).look();
      return app.sql(`SELECT 1 FROM alarms_looked_for WHERE at > now() - interval '1 minute'`);
    },
    rows => rows.length === 1,
  );

/** Stops the platform, as if for so many minutes, and starts it again. */
async function downFor(minutes: number): Promise<void> {
  await app.stop();
  await lookedBefore(minutes);
  await app.start();
}

beforeAll(() => addSkript());

it.each([
  ['due during the downtime: an hour is left', -60, 180, 120],
  ['due long after it: as much time is left as before', 300, 180, 480],
  ['due just before its end: at least an hour is left', -179, 180, 60],
  ['a restart changes nothing', 30, 2, 30],
])('after a start, rows become too old later if Trawl was down: %s', async (_case, dueMinutes, down, left) => {
  await dueIn(dueMinutes);
  await downFor(down);
  expect(await minutesLeft()).toEqual([left]);
  expect(await numberOfNotices()).toBe(0);
});

it('a maintenance does not count, and nothing is told during it', async () => {
  await admin('PUT', '/joint-api/maintenance', { message: 'Moving' });
  await dueIn(-30);
  await lookedBefore(60);
  await app.part(DueWork).look();
  expect([await minutesLeft(), await numberOfNotices()]).toEqual([[-30], 0]);
  await admin('DELETE', '/joint-api/maintenance');
  await looked();
  expect([await minutesLeft(), await numberOfNotices()]).toEqual([[60], 0]);
});

it('an account whose skripts are all too old after a downtime gets one e-mail', async () => {
  for (let count = 1; count < SKRIPTS; count += 1) await addSkript();
  await developer('PUT', '/joint-api/account/notifications', { email_events: ['rows.fresh'] });
  await dueIn(-60);
  await downFor(180);
  expect(await minutesLeft()).toEqual([120]);
  await dueIn(0);
  await until(numberOfNotices, count => count > 0);
  expect(await numberOfNotices()).toBe(SKRIPTS);
  const [mail] = await notificationsTo(app, ADDRESS, 1);
  expect(mail?.subject).toContain(String(SKRIPTS));
});

it('a look locks alarms in the order of verdicts, so that they never wait for each other', async () => {
  const [low, high] = [await addSkript(), await addSkript()].sort() as [string, string];
  await dueIn(30);
  // PostgreSQL writes a changed row behind the others.
  await app.sql('UPDATE row_alarms SET runs = runs WHERE skript_id = $1', [low]);
  const verdict = app.part(DataSource).createQueryRunner();
  await verdict.startTransaction();
  const lock = (id: string) => verdict.query('SELECT FROM row_alarms WHERE skript_id = $1 FOR UPDATE', [id]);
  await lock(low);
  await lookedBefore(60);
  const look = app.part(RowAlarmsRepository).noteLook(app.part(DataSource));
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
    AND query LIKE '%postponed%'`;
  await until(
    () => app.sql(waiting),
    rows => rows.length > 0,
  );
  await lock(high);
  await verdict.commitTransaction();
  await verdict.release();
  await look;
  expect((await minutesLeft()).every(minutes => minutes >= 60)).toBe(true);
});
