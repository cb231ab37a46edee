import { DataSource } from 'typeorm';
import { appForFile } from '../../test/test-app.js';
import { TimeLimits1795291200000 } from './migrations/1795291200000-time-limits.js';
import { StaleValues1795316910000 } from './migrations/1795316910000-stale-values.js';

const { app, developer } = appForFile();

it('keeps the time limit of skripts from before time_limit_ms', async () => {
  const dataSource = app.part(DataSource);
  const queryRunner = dataSource.createQueryRunner();
  const [migration, later] = [new TimeLimits1795291200000(), new StaleValues1795316910000()];
  await later.down(queryRunner);
  await migration.down(queryRunner);
  await app.sql(
    `INSERT INTO skripts (id, owner_id, title, worker_response_timeout)
     SELECT gen_random_uuid(), id, 'Old', 5000 FROM users WHERE username = 'developer'`,
  );
  await migration.up(queryRunner);
  await later.up(queryRunner);
  await queryRunner.release();
  await developer('POST', '/joint-api/skripts/addnew', { title: 'New', worker_response_timeout: 5_000 });
  const list = await developer('GET', '/joint-api/skripts/list?select=title,time_limit_ms&sort=title');
  expect(list.body.items).toMatchObject([
    { title: 'New', time_limit_ms: 3_600_000 },
    { title: 'Old', time_limit_ms: 5_000 },
  ]);
});
