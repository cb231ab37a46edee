import type { Client } from 'pg';
import { kindOfServer } from '../../../data/postgres/server/server-kind.js';
import type { Config } from '../../../platform/common/config.js';
import { secretDigest } from '../../../platform/common/secret-box.service.js';
import { MIGRATIONS } from '../../../platform/database/database.module.js';
import { refuseTransactionPooler } from '../../../platform/database/first-start.js';
import { hasUnfinishedRestore, UNFINISHED_RESTORE } from '../../../platform/database/unfinished-restore.js';
import { connect, migrationsOf } from '../schema.js';
import type { Platform } from '../settings.js';
import { bad, type Finding, info, ok } from './finding.js';

/** The oldest PostgreSQL with which Trawl is tested. */
const OLDEST_POSTGRES = 15;
const MAX_CLOCK_MS = 5_000;

/** Checks the platform's database: version, pooler, schema, secret and clock. */
export async function checkPostgres({ config, hasSecret }: Platform): Promise<Finding[]> {
  const client = await connect(config.postgresUrl).catch((error: Error) => error);
  if (client instanceof Error) {
    return [bad(`PostgreSQL cannot be reached: ${client.message}. Check POSTGRES_URL, and that the server runs.`)];
  }
  try {
    return [
      await versionOf(client, 'PostgreSQL'),
      await pooler(client, config),
      ...(await schema(client)),
      ...(await secret(client, config, hasSecret)),
      await clock(client),
    ];
  } finally {
    await client.end();
  }
}

/** Checks the server with the databases of users. The embedded one starts at first use. */
export async function checkUserPostgres({ config: { userPostgresUrl } }: Platform): Promise<Finding[]> {
  if (userPostgresUrl === undefined) return [info('Users have no PostgreSQL: USER_POSTGRES_URL is not set.')];
  if (userPostgresUrl === 'embedded') return [ok('The PostgreSQL of users is embedded, and starts at first use.')];
  const kind = await kindOfServer({ connectionString: userPostgresUrl }).catch(() => undefined);
  if (kind?.isPerAccount) {
    return [ok(`The PostgreSQL of users is reachable, has version ${kind.version}, and a server for each account.`)];
  }
  const client = await connect(userPostgresUrl).catch((error: Error) => error);
  if (client instanceof Error) {
    return [bad(`The PostgreSQL of users cannot be reached: ${client.message}. Check USER_POSTGRES_URL.`)];
  }
  try {
    const { rows } = await client.query<{ rolsuper: boolean }>(
      'SELECT rolsuper FROM pg_roles WHERE rolname = current_user',
    );
    const role = rows[0]?.rolsuper
      ? ok('USER_POSTGRES_URL names a superuser.')
      : bad('USER_POSTGRES_URL must name a superuser: Trawl creates databases and roles there.');
    const shared = info(
      'All accounts share one server for their PostgreSQL. Statements that nothing stops slow all of them; a server for each account is safer.',
    );
    return [await versionOf(client, 'The PostgreSQL of users'), role, shared];
  } finally {
    await client.end();
  }
}

async function versionOf(client: Client, name: string): Promise<Finding> {
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const version = String(rows[0]?.server_version);
  return Number.parseInt(version, 10) >= OLDEST_POSTGRES
    ? ok(`${name} is reachable and has version ${version}.`)
    : bad(`${name} has version ${version}. Update it to ${OLDEST_POSTGRES} or later.`);
}

async function pooler(client: Client, config: Config): Promise<Finding> {
  try {
    await refuseTransactionPooler(client, config);
    return ok('The connection to PostgreSQL keeps its session.');
  } catch (error) {
    return bad((error as Error).message);
  }
}

async function schema(client: Client): Promise<Finding[]> {
  if (await hasUnfinishedRestore(client)) return [bad(UNFINISHED_RESTORE)];
  const found = await migrationsOf(client);
  const known = MIGRATIONS.map(({ name }) => name);
  const unknown = found.filter(name => !known.includes(name));
  const missing = known.filter(name => !found.includes(name));
  if (found.length === 0) return [info('The database is empty. The first start of a backend creates the tables.')];
  if (unknown.length > 0) {
    return [bad(`A newer version of Trawl has changed the schema (${unknown.join(', ')}). Install that version.`)];
  }
  if (missing.length > 0) {
    return [
      info(
        `The schema is of an older version. The next start of a backend runs the missing migrations: ${missing.join(', ')}.`,
      ),
    ];
  }
  return [ok(`The schema is up to date, with ${known.length} migrations.`)];
}

async function secret(client: Client, config: Config, hasSecret: boolean): Promise<Finding[]> {
  const { rows: tables } = await client.query(
    `SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('platform_secret') AND attname = 'previous_digest'`,
  );
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ digest: Buffer; previous_digest: Buffer | null }>(
    'SELECT digest, previous_digest FROM platform_secret',
  );
  const [row] = rows;
  if (!row) return [info('No backend has used the database yet, so any TRAWL_SECRET fits.')];
  if (!hasSecret)
    return [bad('TRAWL_SECRET is missing. Set it as for the backend, or put the file `secret` into the data folder.')];
  const accepted = [config.secret, ...(config.previousSecret ? [config.previousSecret] : [])].map(secretDigest);
  const has = (digest: Buffer) => accepted.some(known => known.equals(digest));
  if (!has(row.digest)) {
    return [
      bad('TRAWL_SECRET is not the one of this database. Set the one with which the platform was started before.'),
    ];
  }
  if (row.previous_digest) {
    return has(row.previous_digest)
      ? [info('The rotation of TRAWL_SECRET is not finished. Run: trawl-admin rotate-secret')]
      : [
          bad(
            'The rotation of TRAWL_SECRET is not finished. Set TRAWL_SECRET_PREVIOUS, and run: trawl-admin rotate-secret',
          ),
        ];
  }
  return config.previousSecret === undefined
    ? [ok('TRAWL_SECRET is the one of this database.')]
    : [info('TRAWL_SECRET_PREVIOUS is set. Rotate with trawl-admin rotate-secret; if that is done, remove it.')];
}

async function clock(client: Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const after = Date.now();
  const now = rows[0]?.now.getTime() ?? after;
  const differenceMs = Math.max(before - now, now - after, 0);
  return differenceMs <= MAX_CLOCK_MS
    ? ok('The clocks of this machine and of PostgreSQL agree.')
    : bad(
        `The clocks of this machine and of PostgreSQL differ by ${Math.round(differenceMs / 1_000)} s. Let both use NTP.`,
      );
}
