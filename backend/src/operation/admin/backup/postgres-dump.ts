import type { Client } from 'pg';
import { to } from 'pg-copy-streams';
import type { ArchiveWriter } from './archive-writer.js';
import type { DumpedTable, Manifest } from './manifest.js';
import { quote } from './quote.js';

/** TypeORM keeps these. A restore fills them by running the migrations. */
export const OF_MIGRATIONS = ['migrations', 'typeorm_metadata'];

/**
 * The tables whose rows a backup contains, with their columns. Unlogged tables are left out: their rows describe running
 * backends, and PostgreSQL empties them after a crash. Generated columns are computed again.
 */
const TABLES = `
  SELECT c.relname AS name, c.relkind = 'p' AS is_partitioned,
    (SELECT json_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
    (SELECT coalesce(json_agg(json_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid))
       ORDER BY p.relname), '[]')
     FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid WHERE i.inhparent = c.oid) AS partitions
  FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relpersistence = 'p' AND c.relname <> ALL ($1)
  ORDER BY c.relname`;

/**
 * Copies all rows of the platform's database into the archive, as they are at one moment. Call it in a transaction with
 * REPEATABLE READ, and read the names of users' databases in the same transaction.
 */
export async function dumpPostgres(
  client: Client,
  archive: ArchiveWriter,
  onTable: (name: string) => void,
): Promise<Omit<Manifest['postgres'], 'version' | 'migrations'>> {
  const { rows: found } = await client.query<Omit<DumpedTable, 'rows' | 'entry'>>(TABLES, [OF_MIGRATIONS]);
  // The locks keep the backend from dropping a partition meanwhile.
  await client.query(`LOCK TABLE ${found.map(({ name }) => quote(name)).join(', ')} IN ACCESS SHARE MODE`);
  const tables: DumpedTable[] = [];
  for (const { name, columns, partitions } of found) {
    onTable(name);
    const entry = `postgres/${name}.copy`;
    const copy = client.query(to(`COPY (SELECT ${columns.map(quote).join(', ')} FROM ${quote(name)}) TO STDOUT`));
    await archive.add(entry, copy);
    tables.push({ name, columns, partitions, rows: copy.rowCount ?? 0, entry });
  }
  const { rows: sequences } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'S' AND relname <> 'migrations_id_seq'
     ORDER BY relname`,
  );
  const values: Manifest['postgres']['sequences'] = [];
  for (const { name } of sequences) {
    const { rows } = await client.query<{ value: string; is_called: boolean }>(
      `SELECT last_value::text AS value, is_called FROM ${quote(name)}`,
    );
    values.push({ name, ...(rows[0] as { value: string; is_called: boolean }) });
  }
  return { tables, sequences: values };
}
