import { Client } from 'pg';
import { DataSource, type DataSourceOptions, type MigrationInterface } from 'typeorm';
import { type Config, ConfigError } from '../common/config.js';
import type { SecretBox } from '../common/secret-box.service.js';
import { INITIAL_SCHEMA, isReplaced, storedMigrations, withInitialSchema } from './initial-schema.js';
import { createPartitions } from './partitions.service.js';
import { hasUnfinishedRestore, UNFINISHED_RESTORE } from './unfinished-restore.js';

type MigrationClass = new () => MigrationInterface;

/** Options of TypeORM, the settings of the backend, and its secrets. */
export type DatabaseOptions = DataSourceOptions & { config: Config; secretBox: SecretBox };

/** Key of a PostgreSQL advisory lock: one backend at a time changes the schema. */
const LOCK = 7_241_002;

/**
 * Connects to the platform's database and brings its schema up to date. Backends that start at the same time wait for
 * each other.
 * @throws {ConfigError} if POSTGRES_URL leads to a connection pooler in transaction mode, if the database belongs to
 *   another TRAWL_SECRET, if a newer version of Trawl has changed its schema, if the schema is older than that of version
 *   0.1.0, or if a restore did not end.
 */
export async function openDatabase({ config, secretBox, ...options }: DatabaseOptions): Promise<DataSource> {
  const lock = new Client({ connectionString: config.postgresUrl, application_name: 'trawl-backend-start' });
  // An error of the connection also fails the query that uses it.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await refuseTransactionPooler(lock, config);
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK]);
    if (await hasUnfinishedRestore(lock)) throw new ConfigError(UNFINISHED_RESTORE);
    await adoptSchema(lock, options.migrations);
    const dataSource = await new DataSource(options).initialize();
    try {
      await checkSecret(dataSource, secretBox);
      await createPartitions(dataSource);
      return dataSource;
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
  } finally {
    await lock.end();
  }
}

/**
 * Refuses a schema that this version does not know. An older backend would write rows that lack what a later migration
 * needs. Backends that already run may finish their work, because migrations only add to the schema. In the table
 * `migrations`, the initial schema takes the place of the migrations that it replaces.
 */
async function adoptSchema(client: Client, migrations: DataSourceOptions['migrations']): Promise<void> {
  const known = (migrations as MigrationClass[]).map(({ name }) => name);
  const found = await storedMigrations(client);
  const unknown = withInitialSchema(found).filter(name => !known.includes(name));
  if (unknown.length > 0) {
    throw new ConfigError(
      `A newer version of Trawl has changed this database with migrations that this version does not know: ` +
        `${unknown.join(', ')}. Start that version, or a later one. To return to this version, restore a backup of the ` +
        'database from before the update.',
    );
  }
  const replaced = found.filter(isReplaced);
  if (replaced.length === 0) return;
  await client.query(
    `WITH replaced AS (DELETE FROM migrations WHERE name = ANY ($1))
     INSERT INTO migrations (timestamp, name) VALUES ($2, $3)`,
    [replaced, INITIAL_SCHEMA.slice(-13), INITIAL_SCHEMA],
  );
}

/**
 * A pooler gives each client a process id of its own. In transaction mode it also lends the same connection to PostgreSQL
 * to several clients, which breaks LISTEN, session settings and advisory locks.
 * @throws {ConfigError} if POSTGRES_URL leads to such a pooler.
 */
export async function refuseTransactionPooler(client: Client, { postgresUrl }: Config): Promise<void> {
  const pid = await pidOf(client);
  if (pid === (client as unknown as { processID: number | null }).processID) return;
  const other = new Client({ connectionString: postgresUrl });
  other.on('error', () => undefined);
  await other.connect();
  try {
    await other.query('BEGIN');
    if ((await pidOf(other)) !== pid) return;
  } finally {
    await other.end();
  }
  throw new ConfigError(
    'POSTGRES_URL leads to a connection pooler in transaction mode, with which Trawl cannot work: it needs LISTEN and ' +
      'session settings. Connect to PostgreSQL directly, or set the pooler to session mode (`pool_mode = session`).',
  );
}

async function pidOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return (rows[0] as { pid: number }).pid;
}

/**
 * Saves a digest of TRAWL_SECRET at the first start, and compares it at every later one. While the secret is rotated, the
 * digest says which of the two is in use, and both are needed.
 */
async function checkSecret(dataSource: DataSource, box: SecretBox): Promise<void> {
  await dataSource.query('INSERT INTO platform_secret (digest) VALUES ($1) ON CONFLICT DO NOTHING', [
    box.fingerprints[0],
  ]);
  const [row] = await dataSource.query<[{ digest: Buffer; previous_digest: Buffer | null }]>(
    'SELECT digest, previous_digest FROM platform_secret',
  );
  if (!box.use(row.digest)) {
    throw new ConfigError(
      'TRAWL_SECRET is not the one with which this database was created, so its secrets cannot be decrypted. Set the ' +
        'TRAWL_SECRET of the other backends. If none was set, it is in the file `secret` of their data folder.',
    );
  }
  const previous = row.previous_digest;
  if (previous && !box.fingerprints.some(fingerprint => fingerprint.equals(previous))) {
    throw new ConfigError(
      'The rotation of TRAWL_SECRET is not finished: some rows are still encrypted with the previous secret. Set it as ' +
        'TRAWL_SECRET_PREVIOUS, start again, and run: trawl-admin rotate-secret',
    );
  }
}
