import { chmodSync } from 'node:fs';
import { appForFile } from '../../../../test/test-app.js';
import { until } from '../../../../test/until.js';
import { StorageUsageService } from '../../storage/usage/storage-usage.service.js';

// Each account has a PostgreSQL server of its own here.
const { app, developer } = appForFile({ settings: { userPostgresUrl: 'embedded' } });

const query = (sql: string) => developer('POST', '/joint-api/postgres/query', { sql, read_only: false });

/** Returns the storage that the developer uses, in bytes, measured now. */
async function used(): Promise<number> {
  const [owner] = await app.sql<{ id: string }>(`SELECT id FROM users WHERE username = 'developer'`);
  const usage = app.part(StorageUsageService);
  usage.markChanged(String(owner?.id));
  await usage.measureChanged();
  return (await developer('GET', '/joint-api/account')).body.quotas.storage_bytes.used;
}

it('old values of settings of the own PostgreSQL role count as storage of the account', async () => {
  // The user of the embedded server must be able to enter the folder.
  chmodSync(app.config.dataDir, 0o711);
  expect((await query('CREATE TABLE t (n int)')).status).toBe(200);
  expect(await used()).toBeLessThan(1_000_000);
  const settings = await query(`DO $$ DECLARE long text; BEGIN
    FOR i IN 1..8 LOOP
      SELECT string_agg(gen_random_uuid()::text, '') INTO long FROM generate_series(1, 30000);
      EXECUTE format('ALTER ROLE CURRENT_USER SET application_name = %L', long);
    END LOOP;
    ALTER ROLE CURRENT_USER RESET application_name;
  END $$`);
  expect(settings.status).toBe(200);
  await until(used, bytes => bytes > 3_000_000);
});
