import { withClock } from '../../../test/clock/test-clock.js';
import { appForFile } from '../../../test/test-app.js';
import { PartitionsService } from './partitions.service.js';

const { app } = appForFile({ settings: { historyDays: 90 } });

const months = async () =>
  (
    await app.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relname ~ '^(executions|echo_chunks|schedule_fires)_\\d{4}_\\d{2}$' ORDER BY 1`,
    )
  ).map(({ name }) => name);

it('no partition of the history is dropped if the clock of the backend is years ahead', async () => {
  const before = await months();
  await withClock(Date.parse('2041-02-20T03:00:00Z') - Date.now(), () => app.part(PartitionsService).maintain());
  expect(await months()).toEqual(before);
});

it('monthly partitions are created ahead of time, and dropped when they have fully expired', async () => {
  const partitions = app.part(PartitionsService);
  const before = await months();
  await partitions.maintain(new Date('2041-02-20T03:00:00Z'));
  expect((await months()).filter(name => name.startsWith('executions_'))).toEqual([
    'executions_2041_01',
    'executions_2041_02',
    'executions_2041_03',
    'executions_2041_04',
  ]);
  expect((await months()).some(name => before.includes(name))).toBe(false);
  // 90 days before 1 May is 31 January, so the partition of January must still be kept.
  await partitions.dropExpired(new Date('2041-05-01T03:00:00Z'));
  expect((await months()).filter(name => name.endsWith('2041_01'))).toHaveLength(3);
  await partitions.dropExpired(new Date('2041-05-02T03:00:00Z'));
  expect((await months()).filter(name => name.endsWith('2041_01'))).toEqual([]);
  expect((await months()).filter(name => name.endsWith('2041_02'))).toHaveLength(3);
});
