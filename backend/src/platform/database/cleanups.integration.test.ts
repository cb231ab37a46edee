import { SchedulerRegistry } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../test/test-app.js';
import { LOGGER } from '../common/logger.js';
import { Cleanups } from './cleanups.service.js';

const { app } = appForFile();
const backend = () => new Cleanups(app.part(DataSource), app.part(LOGGER));

it('only one of several backends cleans up the database, and each backend cleans up its own files', async () => {
  const ran: string[] = [];
  const [first, second] = [backend(), backend()];
  for (const [name, cleanups] of Object.entries({ first, second })) {
    cleanups.add('files', 'hourly', async () => ran.push(`files of ${name}`), { ofFiles: true });
    cleanups.add('rows', 'hourly', async () => {
      ran.push(`rows by ${name}`);
      // The second backend comes while the first still cleans up.
      if (name === 'first') await second.hourly();
    });
    cleanups.add('nightly', 'nightly', async () => ran.push(`nightly of ${name}`));
  }
  await first.hourly();
  expect(ran).toEqual(['files of first', 'rows by first', 'files of second']);
});

it('a cleanup that fails does not prevent the other cleanups', async () => {
  const ran: string[] = [];
  const cleanups = backend();
  cleanups.add('broken', 'nightly', () => Promise.reject(new Error('it broke')));
  cleanups.add('fine', 'nightly', async () => ran.push('fine'));
  await cleanups.nightly();
  expect(ran).toEqual(['fine']);
});

it.each([
  [2, ['hour']],
  [3, ['hour', 'night']],
])('nightly cleanups follow the hourly ones of the hour from 3 to 4; at %i they are %j', async (hour, expected) => {
  const ran: string[] = [];
  const cleanups = backend();
  cleanups.add('night', 'nightly', async () => ran.push('night'));
  cleanups.add('hour', 'hourly', async () => ran.push('hour'));
  const clock = jest.spyOn(Date.prototype, 'getHours').mockReturnValue(hour);
  await cleanups.onceAnHour();
  clock.mockRestore();
  expect(ran).toEqual(expected);
});

it('a backend has at most 13 timers', () => {
  const timers = app.part(SchedulerRegistry);
  expect(timers.getIntervals().length + timers.getCronJobs().size).toBeLessThanOrEqual(13);
});
