import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { cacheDir, findUserPostgres, startUserPostgres } from '../src/index.js';
import { processesIn } from '../src/system/processes.js';
import { ServerGroup } from '../src/system/server-group.js';

// No test in this file measures time, because the machine may be busy.

const ONE = `u_${'1'.repeat(32)}`;
const TWO = `u_${'2'.repeat(32)}`;
const dataDir = mkdtempSync(join(tmpdir(), 'trawl-user-postgres-'));
let url: string;
let stop: () => Promise<void>;

const clients = new Set<pg.Client>();
async function open(database: string, more: object = {}): Promise<pg.Client> {
  const { hostname, port, username, password } = new URL(url);
  const client = new pg.Client({ host: hostname, port: Number(port), user: username, password, database, ...more });
  client.on('error', () => {});
  clients.add(client);
  await client.connect();
  return client;
}
async function once<Row extends object>(database: string, sql: string, more?: object): Promise<Row[]> {
  const client = await open(database, more);
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
const asUser = (name: string) => ({ user: name, password: 'secret' });
const postmasterOf = (name: string): number =>
  Number(readFileSync(join(dataDir, 'user-postgres', name, 'postmaster.pid'), 'utf8').split('\n')[0]);
const hostPid = (): number =>
  JSON.parse(readFileSync(join(dataDir, 'user-postgres', 'host.json'), 'utf8')).pid as number;
const isAwake = (name: string) => existsSync(join(dataDir, 'user-postgres', name, 'postmaster.pid'));

async function until(look: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; await delay(100)) {
    if (await look()) return;
  }
  throw new Error('Timed out after 60 s.');
}

async function start(more: object = {}): Promise<void> {
  const options = {
    dataDir,
    cacheDir: cacheDir(),
    durable: false,
    onProgress: () => {},
    lostSessionMs: 1_000,
    ...more,
  };
  ({ url, stop } = await startUserPostgres(options));
}

beforeAll(async () => {
  chmodSync(dataDir, 0o711);
  await start();
  for (const name of [ONE, TWO]) {
    await once('trawl', `create ${name}`);
    await once(`${name}.postgres`, `CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
    await once(`${name}.postgres`, `CREATE DATABASE ${name} OWNER ${name}`);
    await once(name, 'CREATE TABLE kept AS SELECT 42 AS n', asUser(name));
  }
});

afterAll(async () => {
  await stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A session of the second account. Each test must leave it working, and the first account must work again after it. */
let neighbour: pg.Client;
beforeEach(async () => {
  neighbour = await open(TWO, asUser(TWO));
});
afterEach(async () => {
  for (const client of clients) if (client !== neighbour) await client.end().catch(() => {});
  await until(() =>
    once<{ n: number }>(ONE, 'SELECT n FROM kept', asUser(ONE)).then(
      ([row]) => row?.n === 42,
      () => false,
    ),
  );
});
const neighbourWorks = async () => {
  expect((await neighbour.query('SELECT n FROM kept')).rows).toEqual([{ n: 42 }]);
  await neighbour.end();
};

it('the users’ server lists, creates and drops accounts’ servers, for the superuser only', async () => {
  expect(await once('trawl', 'list')).toEqual([{ name: ONE }, { name: TWO }]);
  const third = `u_${'3'.repeat(32)}`;
  await once('trawl', `create ${third}`);
  await once('trawl', `create ${third}`);
  expect(await once(`${third}.postgres`, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await once('trawl', `drop ${third}`);
  await once('trawl', `drop ${third}`);
  expect(await once('trawl', 'list')).toEqual([{ name: ONE }, { name: TWO }]);
  await expect(open(third)).rejects.toMatchObject({ code: '3D000' });
  await expect(open('trawl', { password: 'wrong' })).rejects.toMatchObject({ code: '28P01' });
  for (const sql of ['create ../../etc', 'drop', 'SELECT 1', `create ${third} ${third}`]) {
    await expect(once('trawl', sql)).rejects.toThrow(/This is no database|needs the name/);
  }
  const control = await open('trawl');
  await expect(control.query('list', [1])).rejects.toMatchObject({ code: '0A000' });
  expect((await control.query('list')).rows).toHaveLength(2);
  await neighbourWorks();
});

it('a database role reaches only its own database, and only with its own password', async () => {
  for (const database of [TWO, 'postgres', 'template1', 'trawl', `${ONE}.postgres`, `${TWO}.postgres`, '../x', '']) {
    const result = open(database || 'x', asUser(ONE));
    await expect(result).rejects.toMatchObject({ code: '42501' });
  }
  await expect(open(ONE, { user: ONE, password: 'wrong' })).rejects.toMatchObject({ code: '28P01' });
  for (const user of ['postgres', 'u_1', 'pg_monitor', 'TRAWL']) {
    await expect(open(ONE, { user, password: 'secret' })).rejects.toMatchObject({ code: '28000' });
  }
  for (const database of ['postgres', `${ONE}.nothing`, `${ONE.toUpperCase()}`, `u_${'9'.repeat(32)}`]) {
    await expect(open(database)).rejects.toMatchObject({ code: '3D000' });
  }
  await expect(open(ONE, { replication: 'true' })).rejects.toMatchObject({ code: '0A000' });
  await neighbourWorks();
});

it('the users’ server refuses malformed first messages, and does not wait for slow clients', async () => {
  const { hostname, port } = new URL(url);
  /** Resolves to what the router answers until it closes the connection. */
  const say = (...chunks: Buffer[]) =>
    new Promise<string>(resolve => {
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.on('data', chunk => (answer += chunk.toString('latin1')));
      socket.on('error', () => {});
      socket.on('close', () => resolve(answer));
      for (const chunk of chunks) socket.write(chunk);
    });
  const head = (length: number, code: number, rest = '') => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(length, 0);
    bytes.writeUInt32BE(code, 4);
    return Buffer.concat([bytes, Buffer.from(rest)]);
  };
  const SSL = head(8, 80_877_103);
  expect(await say(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toContain('invalid length');
  expect(await say(head(0xffff_ffff, 196_608))).toContain('invalid length');
  expect(await say(head(0, 196_608))).toContain('invalid length');
  expect(await say(head(9, 80_877_103, 'x'))).toContain('invalid length');
  expect(await say(head(1_000, 80_877_102))).toContain('invalid cancel');
  expect(await say(head(20, 131_072, 'x'.repeat(12)))).toContain('unsupported frontend protocol 2.0');
  expect(await say(head(20, 196_608, 'x'.repeat(12)))).toContain('invalid startup packet layout');
  expect(await say(head(14, 196_608, 'user\0\0'))).toContain('invalid startup packet layout');
  expect(await say(head(9, 196_608, '\0'))).toContain('this role does not exist');
  expect(await say(SSL, SSL, SSL)).toMatch(/^NNE.*too many requests for encryption/s);
  expect(await say(head(16, 80_877_102, '\0\0\0\x01abcd'))).toBe('');

  // Clients that say nothing, or one byte at a time. More of them than the router waits for.
  const slow = Array.from({ length: 250 }, () => connect(Number(port), hostname).on('error', () => {}));
  for (const socket of slow) socket.write('\0');
  await until(() => slow.some(socket => socket.destroyed || socket.readyState !== 'open'));
  await neighbour.query('SELECT 1');
  for (const socket of slow) socket.destroy();
  await until(() =>
    once(TWO, 'SELECT 1', asUser(TWO)).then(
      () => true,
      () => false,
    ),
  );
  await neighbourWorks();
});

it('a flood of connections to one account’s database does not block another account', async () => {
  const many = await Promise.allSettled(Array.from({ length: 60 }, () => open(ONE, asUser(ONE))));
  expect(many.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  expect(await once(TWO, 'SELECT n FROM kept', asUser(TWO))).toEqual([{ n: 42 }]);
  await neighbourWorks();
});

it('the users’ server forwards a cancel request, which ends the query but not its session', async () => {
  const client = await open(ONE, asUser(ONE));
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const sleeping = client.query('SELECT pg_sleep(600)').catch(error => error.code);
  await until(async () => {
    const request = Buffer.alloc(16);
    for (const [at, value] of [16, 80_877_102, processID].entries()) request.writeInt32BE(value, at * 4);
    request.writeInt32BE(secretKey, 12);
    connect(Number(new URL(url).port), '127.0.0.1')
      .on('error', () => {})
      .end(request);
    return Promise.race([sleeping.then(() => true), delay(500, false)]);
  });
  expect(await sleeping).toBe('57014');
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await neighbourWorks();
});

it('killing a session or server process ends only the sessions of its own account', async () => {
  for (const victim of ['session', 'server'] as const) {
    const client = await open(ONE, asUser(ONE));
    const { processID } = client as unknown as { processID: number };
    process.kill(victim === 'session' ? processID : postmasterOf(ONE), 'SIGKILL');
    await expect(client.query('SELECT pg_sleep(600)')).rejects.toThrow();
    await until(() =>
      once(ONE, 'SELECT 1', asUser(ONE)).then(
        () => true,
        () => false,
      ),
    );
    await neighbour.query('SELECT 1');
  }
  await neighbourWorks();
});

it('the users’ server kills a session process that does not end after its client is gone', async () => {
  const client = await open(ONE, asUser(ONE));
  const { processID, connection } = client as unknown as {
    processID: number;
    connection: { stream: { destroy(): void } };
  };
  // A stopped process ignores all that PostgreSQL can send, as some functions written in C do.
  process.kill(processID, 'SIGSTOP');
  connection.stream.destroy();
  await until(async () => !existsSync(`/proc/${processID}`));
  await neighbourWorks();
});

it('the users’ server restarts at the same address after a kill, and ends its old processes', async () => {
  await neighbour.end();
  await once(ONE, 'INSERT INTO kept SELECT 43 WHERE false', asUser(ONE));
  const [host, server] = [hostPid(), postmasterOf(ONE)];
  process.kill(host, 'SIGKILL');
  await until(() =>
    once(ONE, 'SELECT n FROM kept', asUser(ONE)).then(
      () => true,
      () => false,
    ),
  );
  expect(hostPid()).not.toBe(host);
  expect(postmasterOf(ONE)).not.toBe(server);
  expect(readdirSync(tmpdir()).filter(name => name.startsWith('trawl-pg-')).length).toBeGreaterThan(0);
  expect(findUserPostgres(dataDir)?.url).toBe(url);
});

it('an account’s PostgreSQL server stops when idle, and starts at the next connection', async () => {
  await neighbour.end();
  await stop();
  await start({ idleMs: 500 });
  const client = await open(ONE, asUser(ONE));
  expect(await once(TWO, 'SELECT n FROM kept', asUser(TWO))).toEqual([{ n: 42 }]);
  await until(() => !isAwake(TWO));
  expect(isAwake(ONE)).toBe(true);
  expect((await client.query('SELECT n FROM kept')).rows).toEqual([{ n: 42 }]);
  expect(await once('trawl', 'list')).toHaveLength(2);
  expect(isAwake(TWO)).toBe(false);
  expect(await once(TWO, 'SELECT n FROM kept', asUser(TWO))).toEqual([{ n: 42 }]);
});

it('a new account’s server is copied from a template, also after an interrupted copy and a new password', async () => {
  await neighbour.end();
  const root = join(dataDir, 'user-postgres');
  const templates = () => readdirSync(root).filter(name => name.startsWith('template-'));
  const passwordFile = join(dataDir, 'user-postgres.password');
  const password = readFileSync(passwordFile, 'utf8');
  const [four, five] = ['4', '5'].map(digit => `u_${digit.repeat(32)}`) as [string, string];
  await until(() => templates().length === 2 && templates().some(name => name.endsWith('.spare')));
  const before = templates();
  // Several at once, more than there are copies.
  await Promise.all([four, five].map(name => once('trawl', `create ${name}`)));
  for (const name of [four, five]) expect(await once(`${name}.postgres`, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  for (const name of [four, five]) await once('trawl', `drop ${name}`);
  await stop();
  expect(templates().sort()).toEqual(before.sort());

  rmSync(join(root, String(before.find(name => name.endsWith('.spare')))), { recursive: true });
  const unfinished = [`${before.find(name => !name.endsWith('.spare'))}.spare.new`, `${four}.new`];
  for (const name of unfinished) mkdirSync(join(root, name, 'base'), { recursive: true });
  await start();
  await once('trawl', `create ${four}`);
  expect(await once(`${four}.postgres`, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await stop();
  expect(readdirSync(root).filter(name => name.endsWith('.new'))).toEqual([]);

  writeFileSync(passwordFile, 'another\n', { mode: 0o600 });
  await start();
  await once('trawl', `create ${five}`);
  expect(await once(`${five}.postgres`, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await stop();
  expect(templates()).toHaveLength(2);
  expect(templates().filter(name => before.includes(name))).toEqual([]);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  await start();
  for (const name of [four, five]) await once('trawl', `drop ${name}`);
});

it('sessions of one account cannot together use more memory than the account’s limit', async () => {
  await neighbour.end();
  await stop();
  const memoryBytes = 400 * 1024 * 1024;
  await start({ memoryBytes });
  neighbour = await open(TWO, asUser(TWO));
  const probe = ServerGroup.make('trawl-test-', String(process.pid), memoryBytes);
  probe?.remove();
  const mostBytes = probe ? memoryBytes : 8 * 200 * 1024 * 1024;
  const fill = `SELECT array_agg(repeat('x', 100000) || i) FROM generate_series(1, 4000) i`;
  let isOver = false;
  const attacks = Promise.allSettled(
    Array.from({ length: 8 }, () => open(ONE, asUser(ONE)).then(client => client.query(fill))),
  ).finally(() => {
    isOver = true;
  });
  let largest = 0;
  while (!isOver) {
    expect((await neighbour.query('SELECT n FROM kept')).rows).toEqual([{ n: 42 }]);
    const memory = processesIn(join(dataDir, 'user-postgres', ONE)).map(anonymousBytes);
    largest = Math.max(
      largest,
      memory.reduce((sum, bytes) => sum + bytes, 0),
    );
  }
  expect(largest).toBeGreaterThan(mostBytes / 4);
  expect(largest).toBeLessThan(mostBytes * 1.2);
  for (const attack of await attacks) expect(attack.status).toBe('rejected');
  await neighbourWorks();
});

it('all sessions of an account run in one control group, for memory and CPU', async () => {
  const session = await open(ONE, asUser(ONE));
  await session.query('SELECT 1');
  const groups = processesIn(join(dataDir, 'user-postgres', ONE)).map(groupsOf);
  await session.end();
  const probe = ServerGroup.make('trawl-test-', String(process.pid), 400 * 1024 * 1024);
  probe?.remove();
  expect(groups.length).toBeGreaterThan(2);
  for (const controller of probe ? groupsWithLimits() : []) {
    const paths = groups.map(paths => paths.get(controller));
    expect(paths).toEqual(groups.map(() => expect.stringMatching(new RegExp(`/trawl-postgres-\\w+-${ONE}$`))));
  }
});

/** Version 2 has one tree, whose controllers have no names in this list. */
const groupsWithLimits = () => [existsSync('/sys/fs/cgroup/memory') ? ['memory', 'cpu'] : ['']].flat();

/** The control group of a process, by controller. */
const groupsOf = (pid: number): Map<string, string> =>
  new Map(
    readFileSync(`/proc/${pid}/cgroup`, 'utf8')
      .trim()
      .split('\n')
      .map(line => line.split(':'))
      .flatMap(([, controllers = '', path = '']) => controllers.split(',').map(name => [name, path])),
  );

function anonymousBytes(pid: number): number {
  try {
    return 1024 * Number(/^RssAnon:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0; // The process has ended.
  }
}
