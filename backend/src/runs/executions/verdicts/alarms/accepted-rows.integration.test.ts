import { randomUUID } from 'node:crypto';
import { appForFile } from '../../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../../test/test-worker.js';
import { until } from '../../../../../test/until.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);
const HOURS = 26;

/** Runs a skript whose contract refuses the rows of this run. */
async function brokenRun(): Promise<{ id: string; skript: string }> {
  const rows = { min: 5, fresh_hours: HOURS };
  await developer('PUT', `/joint-api/skripts/${fleet.skriptId}`, { rows });
  const worker = await fleet.connect();
  const answer = fleet.start({ input: randomUUID() }, 'wait_ms=60000');
  const { id } = await worker.offers.next();
  await worker.finish(id);
  const { verdict, skript } = (await answer).body;
  expect(verdict.level).toBe('broken');
  return { id, skript: skript.name };
}

const accept = async (id: string) =>
  expect((await developer('POST', `/joint-api/skript-execution/${id}/verdict/accept`)).status).toBe(200);
const endedHoursAgo = (id: string, hours: number) =>
  app.sql(`UPDATE executions SET updated_at = now() - $2 * interval '1 hour' WHERE id = $1`, [id, hours]);
const setDueIn = (hours: number) =>
  app.sql(`UPDATE row_alarms SET due_at = now() + $2 * interval '1 hour' WHERE kind = 'fresh' AND skript_id = $1`, [
    fleet.skriptId,
    hours,
  ]);
/** Returns in how many hours the rows are too old. */
const hoursLeft = async () => {
  const [row] = await app.sql<{ hours: number }>(
    `SELECT round(extract(epoch FROM due_at - now()) / 3600)::int AS hours FROM row_alarms
     WHERE kind = 'fresh' AND skript_id = $1`,
    [fleet.skriptId],
  );
  return row?.hours;
};
const freshNotices = async (skript: string) => {
  const { items } = (await developer('GET', '/joint-api/account/notices/list')).body;
  const texts = (items as { text: string }[]).map(({ text }) => text);
  return texts.filter(text => text.includes(`“${skript}”`) && /too old|new rows/.test(text));
};
/** Waits until the account is told that the rows are too old. */
async function toldTooOld(skript: string) {
  await setDueIn(-1);
  await until(
    () => freshNotices(skript),
    texts => texts.length === 1,
  );
}

it('rows that the owner accepts are as old as their run', async () => {
  const { id } = await brokenRun();
  await endedHoursAgo(id, 20);
  await setDueIn(1);
  await accept(id);
  expect(await hoursLeft()).toBe(6);
});

it('accepting the rows of an old run does not make them newer than those of a later run', async () => {
  const { id } = await brokenRun();
  await endedHoursAgo(id, 20);
  await setDueIn(15);
  await accept(id);
  await accept(id);
  expect(await hoursLeft()).toBe(15);
});

it('rows that stay too old after the owner accepts them do not end the alarm', async () => {
  const { id, skript } = await brokenRun();
  await endedHoursAgo(id, 100);
  await toldTooOld(skript);
  await accept(id);
  expect([await hoursLeft(), await freshNotices(skript)]).toEqual([24, [`The rows of “${skript}” are too old`]]);
});

it('the account is told that there are new rows again when the owner accepts them', async () => {
  const { id, skript } = await brokenRun();
  await toldTooOld(skript);
  await accept(id);
  await accept(id);
  expect(await freshNotices(skript)).toEqual([`“${skript}” has new rows again`, `The rows of “${skript}” are too old`]);
});
