import type { TestApp } from './test-app.js';

/** Returns how many rows of a table each of the statements deleted that `work` executed, without those of no row. */
export async function stepsOfDeletes(app: TestApp, table: string, work: () => Promise<unknown>): Promise<number[]> {
  await app.sql('CREATE TABLE delete_steps (id serial, deleted int)');
  await app.sql(`CREATE FUNCTION count_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO delete_steps (deleted) SELECT count(*) FROM gone; RETURN NULL; END $$`);
  await app.sql(`CREATE TRIGGER count_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_deleted()`);
  try {
    await work();
    const rows = await app.sql<{ deleted: number }>('SELECT deleted FROM delete_steps WHERE deleted > 0 ORDER BY id');
    return rows.map(({ deleted }) => deleted);
  } finally {
    await app.sql('DROP FUNCTION count_deleted() CASCADE');
    await app.sql('DROP TABLE delete_steps');
  }
}
