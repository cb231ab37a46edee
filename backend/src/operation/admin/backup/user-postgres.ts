import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheDir, findUserPostgres, startUserPostgres } from '@trawl/embedded';
import type { Client } from 'pg';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { PostgresDatabasesService } from '../../../data/postgres/databases/postgres-databases.service.js';
import { kindOfServer } from '../../../data/postgres/server/server-kind.js';
import { UserServerService } from '../../../data/postgres/server/user-server.service.js';
import type { Config } from '../../../platform/common/config.js';
import { AdminError } from '../admin-error.js';
import { note } from '../terminal.js';
import type { ArchiveReader } from './archive-reader.js';
import type { ArchiveWriter } from './archive-writer.js';
import type { DumpedUserDatabases } from './manifest.js';
import { quote } from './quote.js';

interface UserServer {
  url: string;
  version: string;
  stop: () => Promise<void>;
}

/** Copies the PostgreSQL databases of users with `pg_dump`, because users may have created any kind of object. */
export async function dumpUserPostgres(
  { userPostgresUrl, dataDir }: Config,
  names: string[],
  archive: ArchiveWriter,
  onDatabase: (name: string) => void,
): Promise<DumpedUserDatabases> {
  const server = await open(userPostgresUrl, dataDir);
  try {
    await checkTool('pg_dump', server.version, ', or leave these databases out with --without-user-postgres');
    const databases: DumpedUserDatabases['databases'] = [];
    for (const name of names) {
      onDatabase(name);
      const entry = `user-postgres/${name}.dump`;
      const dump = spawn('pg_dump', ['--format=custom', '--compress=0', '--no-owner', '--no-privileges'], {
        env: environmentOf(server.url, name),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = exitOf('pg_dump', name, dump);
      await Promise.all([archive.add(entry, dump.stdout), ended]);
      databases.push({ name, entry });
    }
    return { version: server.version, databases };
  } finally {
    await server.stop();
  }
}

/** The server into which a restore copies the databases of users. */
export interface UserTarget {
  /** Returns those databases of the backup that the server has already. */
  existing(): Promise<string[]>;
  drop(database: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to the server for the databases of users, before the restore deletes anything. Returns undefined if the
 * backup has none.
 * @throws {AdminError} if they cannot be restored
 */
export async function openTargetForUsers(config: Config, archive: ArchiveReader): Promise<UserTarget | undefined> {
  const names = archive.manifest.user_postgres?.databases.map(({ name }) => name) ?? [];
  if (names.length === 0) return undefined;
  const server = await open(config.userPostgresUrl, config.dataDir);
  try {
    await checkTool('pg_restore', server.version, '. Nothing was restored');
    const users = new UserServerService({ ...config, userPostgresUrl: server.url }, pino({ level: 'silent' }));
    return {
      existing: () => users.existing(names),
      drop: async name => {
        if (await users.drop(name)) return;
        await users.maintain(name, `DROP DATABASE ${quote(name)} WITH (FORCE)`);
      },
      close: async () => {
        await users.onApplicationShutdown();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Creates the databases of a backup again. Each is restored by the role of its owner, because the functions of a user
 * must not run as superuser.
 * @param platform a connection to the restored database of the platform
 */
export async function restoreUserPostgres(
  config: Config,
  platform: Client,
  archive: ArchiveReader,
  onDatabase: (name: string) => void,
): Promise<void> {
  const { rows: listed } = await platform.query<{ name: string }>('SELECT name FROM postgres_databases WHERE ready');
  // The backend creates those that neither the server nor the backup has when their users need them.
  await platform.query('UPDATE postgres_databases SET ready = false, restricted = false');
  if (listed.length === 0 || config.userPostgresUrl === undefined) return;
  const dumped = archive.manifest.user_postgres?.databases ?? [];
  const server = new UserServerService(config, pino({ level: 'silent' }));
  const names = listed.map(({ name }) => name);
  const dataSource = await new DataSource({ type: 'postgres', url: config.postgresUrl, poolSize: 1 }).initialize();
  try {
    const present = await server.existing(names).catch(error => {
      if (dumped.length > 0) throw error;
      return [];
    });
    await platform.query('UPDATE postgres_databases SET ready = true WHERE name = ANY ($1)', [present]);
    const service = new PostgresDatabasesService(dataSource, server);
    for (const { name, entry } of dumped) {
      onDatabase(name);
      const { rows } = await platform.query<{ owner_id: string }>(
        'SELECT owner_id FROM postgres_databases WHERE name = $1',
        [name],
      );
      if (!rows[0]) continue;
      await service.findOrCreate(rows[0].owner_id);
      const password = randomBytes(24).toString('base64url');
      await server.maintain(name, `ALTER ROLE ${name} PASSWORD '${password}'`);
      const address = await server.address();
      await service.whileRestoring(name, async () => {
        const restore = spawn('pg_restore', ['--exit-on-error', '--no-owner', '--no-privileges', `--dbname=${name}`], {
          env: {
            ...process.env,
            PGHOST: address.host,
            PGPORT: String(address.port ?? 5432),
            PGUSER: name,
            PGPASSWORD: password,
          },
          stdio: ['pipe', 'ignore', 'pipe'],
        });
        const ended = exitOf('pg_restore', name, restore);
        await Promise.all([pipeline(await archive.read(entry), restore.stdin), ended]);
      });
    }
  } finally {
    await dataSource.destroy();
    await server.onApplicationShutdown();
  }
}

async function open(url: string | undefined, dataDir: string): Promise<UserServer> {
  if (url === undefined) {
    throw new AdminError(
      'Users have PostgreSQL databases, but USER_POSTGRES_URL is not set. Set it as for the backend.',
    );
  }
  const embedded = url === 'embedded' ? await findOrStart(dataDir) : undefined;
  const { url: address, stop } = embedded ?? { url, stop: async () => undefined };
  try {
    return { url: address, stop, version: (await kindOfServer({ connectionString: address })).version };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Finds the embedded server, which a running backend has started if users needed it, or starts it. */
async function findOrStart(dataDir: string) {
  try {
    return findUserPostgres(dataDir) ?? (await startUserPostgres({ dataDir, cacheDir: cacheDir(), onProgress: note }));
  } catch (error) {
    throw new AdminError((error as Error).message);
  }
}

/** @throws {AdminError} if the program is missing or too old for the server. */
async function checkTool(program: string, serverVersion: string, alternative: string): Promise<void> {
  const needed = Number.parseInt(serverVersion, 10);
  const found = await promisify(execFile)(program, ['--version']).then(
    ({ stdout }) => Number(/(\d+)(\.\d+)?/.exec(stdout)?.[1]),
    () => 0,
  );
  if (found >= needed) return;
  throw new AdminError(
    `The PostgreSQL databases of users need ${program} ${needed} or later on the PATH; ${found ? `this machine has ${found}` : 'this machine has none'}. ` +
      `Install the package postgresql-client-${needed}${alternative}.`,
  );
}

function environmentOf(url: string, database: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password, searchParams } = new URL(url);
  const sslMode = searchParams.get('sslmode');
  return {
    ...process.env,
    PGHOST: hostname.replace(/^\[|\]$/g, ''),
    PGPORT: port || '5432',
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: database,
    ...(sslMode && { PGSSLMODE: sslMode }),
  };
}

/** Resolves when the program has succeeded. @throws {AdminError} with its message otherwise. */
async function exitOf(program: string, database: string, child: ReturnType<typeof spawn>): Promise<void> {
  const said = child.stderr ? text(child.stderr) : Promise.resolve('');
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code !== 0)
    throw new AdminError(`${program} failed for the database ${database}: ${(await said).trim().slice(-2_000)}`);
}
