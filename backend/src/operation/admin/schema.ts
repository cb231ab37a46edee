import { Client } from 'pg';
import type { Config } from '../../platform/common/config.js';
import { MIGRATIONS } from '../../platform/database/database.module.js';
import { storedMigrations, withInitialSchema } from '../../platform/database/initial-schema.js';
import { hasUnfinishedRestore, UNFINISHED_RESTORE } from '../../platform/database/unfinished-restore.js';
import { AdminError } from './admin-error.js';

/**
 * The names of the migrations that the database has, in their order; empty for a database without tables of Trawl.
 * @throws {AdminError} if a restore into the database did not end
 * @throws {ConfigError} if they are older than version 0.1.0
 */
export async function migrationsOf(client: Client): Promise<string[]> {
  if (await hasUnfinishedRestore(client)) throw new AdminError(UNFINISHED_RESTORE);
  return withInitialSchema(await storedMigrations(client));
}

/**
 * Checks that the database has exactly the schema of this version, so that no command changes it by the way.
 * @throws {AdminError} otherwise
 */
export function refuseOtherSchema(found: string[]): void {
  const known = MIGRATIONS.map(({ name }) => name);
  if (found.length === 0) throw new AdminError('The database is empty. Start the platform once, or restore a backup.');
  const unknown = found.filter(name => !known.includes(name));
  if (unknown.length > 0) {
    throw new AdminError(
      `A newer version of Trawl has changed this database (${unknown.join(', ')}). Use the trawl-admin of that version.`,
    );
  }
  const missing = known.filter(name => !found.includes(name));
  if (missing.length > 0) {
    throw new AdminError(
      `The database belongs to an older version of Trawl. If you need a backup, make it with the trawl-admin of that version. Then start the backend of this version once: it runs the missing migrations, ${missing.join(', ')}.`,
    );
  }
}

/** Connects to the platform's database and checks its schema. @throws {AdminError} */
export async function checkSchema({ postgresUrl }: Config): Promise<void> {
  const client = await connect(postgresUrl);
  try {
    refuseOtherSchema(await migrationsOf(client));
  } finally {
    await client.end();
  }
}

/** Opens a connection. An error of the connection also fails the query that uses it. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'trawl-admin', options: '-c timezone=UTC' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
