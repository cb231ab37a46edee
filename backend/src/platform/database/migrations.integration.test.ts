import { DataSource } from 'typeorm';
import { appForFile } from '../../../test/test-app.js';
import { PlatformJobs1795456000000 } from './migrations/1795456000000-platform-jobs.js';
import { ExportsAfterRunsAreJobs1795457000000 } from './migrations/1795457000000-exports-after-runs-are-jobs.js';

const { app } = appForFile();

it('the migration to platform jobs turns pending drops of databases into jobs, also those of an older backend', async () => {
  const queryRunner = app.part(DataSource).createQueryRunner();
  const [migration, later] = [new PlatformJobs1795456000000(), new ExportsAfterRunsAreJobs1795457000000()];
  await later.down(queryRunner);
  await migration.down(queryRunner);
  await app.sql(`INSERT INTO mongo_drops (db_name) VALUES ('db_1')`);
  await app.sql(`INSERT INTO mongo_collection_drops (db_name, collection) VALUES ('db_2', 'kv_1')`);
  await app.sql(`INSERT INTO postgres_drops (name) VALUES ('u_1')`);
  await migration.up(queryRunner);
  await later.up(queryRunner);
  await queryRunner.release();
  const jobs = () =>
    app.sql(`SELECT kind, params, owner_id, run_at BETWEEN now() AND now() + interval '2 minutes' AS waits FROM jobs`);
  const inTwoMinutes = { owner_id: null, waits: true };
  const pending = [
    { kind: 'mongo_collection_drop', params: { db_name: 'db_2', collection: 'kv_1' }, ...inTwoMinutes },
    { kind: 'mongo_drop', params: { db_name: 'db_1' }, ...inTwoMinutes },
    { kind: 'postgres_drop', params: { name: 'u_1' }, ...inTwoMinutes },
  ];
  const byKind = (rows: any[]) => rows.sort((a, b) => a.kind.localeCompare(b.kind));
  expect(byKind(await jobs())).toEqual(pending);

  await app.sql('DELETE FROM jobs');
  expect(await app.sql(`INSERT INTO mongo_drops (db_name) SELECT 'db_1' RETURNING db_name`)).toEqual([
    { db_name: 'db_1' },
  ]);
  await app.sql(
    `INSERT INTO mongo_collection_drops (db_name, collection) SELECT 'db_2', 'kv_1' ON CONFLICT DO NOTHING`,
  );
  expect(await app.sql(`INSERT INTO postgres_drops (name) SELECT 'u_1' RETURNING name`)).toEqual([{ name: 'u_1' }]);
  expect(byKind(await jobs())).toEqual(pending);
  expect(
    await app.sql(`SELECT db_name FROM mongo_drops WHERE deleted_at < now() - interval '2 minutes' LIMIT 100`),
  ).toEqual([]);
});

it('the migration to platform jobs turns exports after runs into jobs, and an older backend finds none', async () => {
  const queryRunner = app.part(DataSource).createQueryRunner();
  const migration = new ExportsAfterRunsAreJobs1795457000000();
  const exporter_id = '0190f7a2-0000-7000-8000-00000000000e';
  const execution_id = '0190f7a2-0000-7000-8000-00000000000f';
  await migration.down(queryRunner);
  await app.sql(
    `INSERT INTO exporter_runs (exporter_id, execution_id, due_at) VALUES ($1, $2, now() + interval '1 hour')`,
    [exporter_id, execution_id],
  );
  await migration.up(queryRunner);
  await queryRunner.release();
  const kind = 'export_after_run';
  expect(await app.sql(`SELECT kind, lane, params, run_at > now() AS waits FROM jobs WHERE kind = $1`, [kind])).toEqual(
    [{ kind, lane: exporter_id, params: { exporter_id, execution_id }, waits: true }],
  );
  expect(await app.sql('SELECT * FROM exporter_runs')).toEqual([]);
  await app.sql(`UPDATE exporter_runs SET due_at = now() WHERE due_at > now() + interval '1 minute'`);
  await app.sql('DELETE FROM exporter_runs WHERE id IN (SELECT t.id FROM exporter_runs t LIMIT 1000)');
});
