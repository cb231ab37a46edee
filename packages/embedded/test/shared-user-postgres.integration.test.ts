import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { CappedLog } from '../src/host/capped-log.js';
import { cacheDir, startUserPostgres } from '../src/index.js';
import { initDatabase } from '../src/postgres/init-database.js';
import { postgresBinaries } from '../src/postgres/postgres-binaries.js';
import { startServer } from '../src/postgres/server-process.js';
import { postgresUser } from '../src/system/engine-user.js';
import { freePort } from '../src/system/free-port.js';

const ACCOUNTS = ['1', '2', '3', '4'].map(digit => `u_${digit.repeat(32)}`);
const [ONE = '', TWO = '', THREE = '', DELETED = ''] = ACCOUNTS;
const PASSWORD = 'of the superuser';
const dataDir = mkdtempSync(join(tmpdir(), 'trawl-shared-postgres-'));
const folder = join(dataDir, 'user-postgres');
const user = postgresUser();
const { binDir } = postgresBinaries(cacheDir(), user);

async function query(address: object, sql: string): Promise<any[]> {
  const client = new pg.Client({ host: '127.0.0.1', user: 'trawl', password: PASSWORD, ...address });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Makes the data folder of an earlier version, with a server that was killed. */
async function makeSharedServer(): Promise<void> {
  writeFileSync(join(dataDir, 'user-postgres.password'), `${PASSWORD}\n`, { mode: 0o600 });
  await initDatabase({ folder, binDir, user, password: PASSWORD, durable: true });
  const port = await freePort();
  const log = new CappedLog(join(dataDir, 'old.log'));
  const server = await startServer({
    binDir,
    folder,
    durable: true,
    log,
    user,
    settings: { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', max_connections: 200 },
  });
  const at = (database: string, name = 'trawl', password = PASSWORD) => ({ port, database, user: name, password });
  await query(at('postgres'), 'CREATE DATABASE trawl');
  for (const name of ACCOUNTS) {
    await query(at('postgres'), `CREATE ROLE ${name} LOGIN PASSWORD '${name}' CONNECTION LIMIT 8`);
    await query(at('postgres'), `CREATE DATABASE ${name} TEMPLATE template0`);
    await query(at('postgres'), `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
    await query(at('postgres'), `GRANT CONNECT, CREATE, TEMPORARY ON DATABASE ${name} TO ${name}`);
    await query(at(name), `ALTER SCHEMA public OWNER TO ${name}`);
    await query(
      at(name, name, name),
      `CREATE TABLE books AS SELECT i AS n, '${name}' || repeat(md5(i::text), 20) AS t FROM generate_series(1, 2000) i;
       CREATE INDEX ON books (t); CREATE SEQUENCE s; SELECT nextval('s'), lo_from_bytea(1, '\\x42');
       CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 42; END'; DELETE FROM books WHERE n > 1990`,
    );
  }
  // Roles that have rights on each other's tables.
  await query(at(ONE, ONE, ONE), `GRANT SELECT ON books TO ${TWO}`);
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
}

const hosts = new Set<ChildProcess>();
/** Starts Trawl in a process that can be killed at any moment. */
async function startHost(): Promise<{ kill: () => void; port: Promise<number> }> {
  const script = `
    import { cacheDir, startUserPostgres } from '${join(__dirname, '../dist/index.js')}';
    const { url } = await startUserPostgres({ dataDir: process.argv[1], cacheDir: cacheDir(), onProgress: () => {} });
    console.log(new URL(url).port);
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  hosts.add(child);
  const port = new Promise<number>((resolve, reject) => {
    child.stdout.once('data', chunk => resolve(Number(chunk)));
    child.once('exit', () => reject(new Error('The host ended.')));
  });
  port.catch(() => {});
  const kill = () => {
    const note = join(folder, 'host.json');
    const pid = existsSync(note) ? hostPid(note) : undefined;
    child.kill('SIGKILL');
    if (pid) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
  };
  return { kill, port };
}

const hostPid = (note: string): number | undefined => {
  try {
    return JSON.parse(readFileSync(note, 'utf8')).pid;
  } catch {
    return undefined;
  }
};

beforeAll(async () => {
  chmodSync(dataDir, 0o711);
  mkdirSync(join(dataDir, 'logs'));
  if (user) chownSync(dataDir, user.uid, user.gid);
  await makeSharedServer();
});

afterAll(() => {
  for (const host of hosts) host.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const kills = process.env.TRAWL_TEST_FULL ? 20 : 3;

it('each account’s database moves from the shared server to its own, even if Trawl is killed meanwhile', async () => {
  for (let round = 1; round <= kills; round++) {
    const { kill, port } = await startHost();
    await Promise.race([
      delay((round * 2_500) / kills),
      port.then(
        async number => {
          await query({ port: number, database: ONE }, 'SELECT 1').catch(() => {});
          await new Promise(() => {});
        },
        () => {},
      ),
    ]);
    kill();
  }

  const { url, stop } = await startUserPostgres({ dataDir, cacheDir: cacheDir(), onProgress: () => {} });
  try {
    const port = Number(new URL(url).port);
    const list = await query({ port, database: 'trawl' }, 'list');
    expect(list.map(({ name }) => name)).toEqual(ACCOUNTS);
    await query({ port, database: 'trawl' }, `drop ${DELETED}`);
    await Promise.all([ONE, TWO, THREE].map(name => query({ port, database: name }, 'SELECT 1')));
    for (const name of [ONE, TWO, THREE]) {
      const at = { port, database: name, user: name, password: name };
      const [row] = await query(
        at,
        `SELECT count(*)::int, min(left(t, 34)), nextval('s')::int, f(), encode(lo_get(1), 'hex') AS object FROM books`,
      );
      expect(row).toEqual({ count: 1_990, min: name, nextval: expect.any(Number), f: 42, object: '42' });
      for (const sql of ['CREATE TABLE later AS SELECT * FROM books', 'VACUUM FULL', 'REINDEX TABLE books'])
        await query(at, sql);
      const databases = await query(at, `SELECT datname FROM pg_database WHERE datname ~ '^u_' OR datname = 'trawl'`);
      expect(databases).toEqual([{ datname: name }]);
      const roles = await query(at, `SELECT rolname FROM pg_roles WHERE rolname ~ '^u_' AND rolcanlogin`);
      expect(roles).toEqual([{ rolname: name }]);
    }
    // The folder of the shared server is deleted once every account has moved.
    expect(readdirSync(dataDir).filter(name => name.startsWith('user-postgres-shared'))).toEqual([]);
    expect(
      readdirSync(folder)
        .filter(name => name.startsWith('u_'))
        .sort(),
    ).toEqual([ONE, TWO, THREE]);
    expect(statSync(join(folder, ONE)).isDirectory()).toBe(true);
  } finally {
    await stop();
  }
});
