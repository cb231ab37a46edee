import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../../platform/database/database.module.js';
import { withInitialSchema } from '../../../platform/database/initial-schema.js';
import { AdminError } from '../admin-error.js';
import type { ArchiveReader } from './archive-reader.js';
import type { Manifest } from './manifest.js';
import { OF_MIGRATIONS } from './postgres-dump.js';
import { quote } from './quote.js';

/** @throws {AdminError | ConfigError} if this version cannot create the schema of the backup. */
export function refuseUnknownMigrations({ postgres }: Manifest): void {
  const known = MIGRATIONS.map(({ name }) => name);
  const unknown = withInitialSchema(postgres.migrations).filter(name => !known.includes(name));
  if (unknown.length === 0) return;
  throw new AdminError(
    `The backup is of a newer version of Trawl, with changes of the schema that this version does not know: ${unknown.join(', ')}. ` +
      'Restore it with that version, or a later one.',
  );
}

/** Creates the schema that the backup had, in an empty database. Later migrations run when the backend starts. */
export async function createSchema(url: string, { postgres }: Manifest): Promise<void> {
  const wanted = withInitialSchema(postgres.migrations);
  const migrations = MIGRATIONS.filter(({ name }) => wanted.includes(name));
  const dataSource = await new DataSource({ type: 'postgres', url, migrations, poolSize: 1 }).initialize();
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.destroy();
  }
}

/** Copies all rows of a backup into a new schema, in one transaction. */
export async function restoreRows(
  client: Client,
  archive: ArchiveReader,
  onTable: (name: string) => void,
): Promise<void> {
  const { tables, sequences } = archive.manifest.postgres;
  await client.query('BEGIN');
  try {
    const { rows: present } = await client.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
         AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL ($1)`,
      [OF_MIGRATIONS],
    );
    // Some migrations insert rows. The backup contains them, too.
    await client.query(`TRUNCATE ${present.map(({ name }) => quote(name)).join(', ')}`);
    const foreignKeys = await dropForeignKeys(client);
    for (const { name, columns, partitions, rows, entry } of tables) {
      onTable(name);
      for (const partition of partitions) {
        await client.query(
          `CREATE TABLE IF NOT EXISTS ${quote(partition.name)} PARTITION OF ${quote(name)} ${partition.bound}`,
        );
      }
      await client.query(`ALTER TABLE ${quote(name)} DISABLE TRIGGER USER`);
      const copy = client.query(from(`COPY ${quote(name)} (${columns.map(quote).join(', ')}) FROM STDIN`));
      await pipeline(await archive.read(entry), copy);
      await client.query(`ALTER TABLE ${quote(name)} ENABLE TRIGGER USER`);
      if (copy.rowCount !== rows) {
        throw new AdminError(`${name} has ${copy.rowCount} rows after the restore, and ${rows} in the backup.`);
      }
    }
    for (const { table, name, definition } of foreignKeys) {
      await client.query(`ALTER TABLE ${quote(table)} ADD CONSTRAINT ${quote(name)} ${definition}`);
    }
    for (const { name, value, is_called } of sequences) {
      await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [quote(name), value, is_called]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  await client.query('ANALYZE');
}

interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

/** Drops all foreign keys, so that the order of the tables does not matter. Adding them again checks all rows. */
async function dropForeignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
     WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relnamespace = current_schema()::regnamespace
     ORDER BY c.relname, k.conname`,
  );
  for (const { table, name } of rows) await client.query(`ALTER TABLE ${quote(table)} DROP CONSTRAINT ${quote(name)}`);
  return rows;
}
