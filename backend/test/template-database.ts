import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../src/platform/database/database.module.js';
import { createPartitions } from '../src/platform/database/partitions.service.js';

const MIGRATIONS_DIR = join(__dirname, '../src/platform/database/migrations');

/** Key of a PostgreSQL advisory lock, so that only one test process at a time makes the template. */
const LOCK = 7_241_099;

/**
 * Returns the name of a migrated database, to be copied with `CREATE DATABASE … TEMPLATE`. The first test app that
 * needs it creates it. The name contains a hash of the migrations: if a database server is used for several test runs,
 * each gets the template for its own migrations.
 */
export async function templateDatabase(server: string): Promise<string> {
  const name = `trawl_template_${digestOf(MIGRATIONS_DIR)}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const { rows } = await client.query('SELECT datistemplate FROM pg_database WHERE datname = $1', [name]);
    if (rows[0]?.datistemplate) return name;
    // An earlier process may have been killed and left an incomplete database with this name.
    await client.query(`DROP DATABASE IF EXISTS ${name}`);
    await client.query(`CREATE DATABASE ${name}`);
    await migrate(Object.assign(new URL(server), { pathname: `/${name}` }).toString());
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE true`);
    return name;
  } finally {
    await client.end();
  }
}

async function migrate(url: string): Promise<void> {
  const dataSource = new DataSource({ type: 'postgres', url, migrations: MIGRATIONS });
  await dataSource.initialize();
  await dataSource.runMigrations();
  await createPartitions(dataSource);
  await dataSource.destroy();
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
  for (const file of files.sort()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}
