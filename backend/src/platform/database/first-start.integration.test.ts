import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { TestPgBouncer } from '../../../test/servers/test-pgbouncer.js';
import { type Config, ConfigError } from '../common/config.js';
import { SecretBox, secretDigest } from '../common/secret-box.service.js';
import { MIGRATIONS } from './database.module.js';
import { openDatabase } from './first-start.js';

const STARTS = isFullTest ? 50 : 5;
const SECRET = 'a secret for tests that is long enough';

let server: Client;
let name: string;
let url: string;
const opened: DataSource[] = [];

beforeAll(async () => {
  const serverUrl = String(process.env.TRAWL_TEST_POSTGRES_URL);
  server = new Client({ connectionString: serverUrl });
  await server.connect();
  name = `trawl_test_first_${process.pid}_${Date.now().toString(36)}`;
  await server.query(`CREATE DATABASE ${name}`);
  url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).toString();
});
afterAll(async () => {
  for (const dataSource of opened) await dataSource.destroy();
  await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await server.end();
});

const open = async (
  secret: string,
  { postgresUrl = url, migrations = MIGRATIONS, previousSecret = undefined as string | undefined } = {},
): Promise<DataSource> => {
  const dataSource = await openDatabase({
    type: 'postgres',
    url: postgresUrl,
    migrations,
    migrationsRun: true,
    poolSize: 1,
    config: { postgresUrl } as Config,
    secretBox: new SecretBox({ secret, previousSecret }),
  });
  opened.push(dataSource);
  return dataSource;
};

it('backends that start at the same time on an empty database all open it, and run the migrations once', async () => {
  const all = await Promise.all(Array.from({ length: STARTS }, () => open(SECRET)));
  const [row] = await (all[0] as DataSource).query<{ migrations: number }[]>(
    'SELECT count(*)::int AS migrations FROM migrations',
  );
  expect(row).toEqual({ migrations: MIGRATIONS.length });
});

it('a backend with another TRAWL_SECRET cannot open the database, and the error says why', async () => {
  await open(SECRET);
  await expect(open('another secret that is long enough, too')).rejects.toThrow(
    'TRAWL_SECRET is not the one with which this database was created',
  );
});

it('a backend with two secrets can open the database before and during a rotation, which needs both', async () => {
  const newer = 'a newer secret that is long enough';
  const dataSource = await open(SECRET);
  await open(newer, { previousSecret: SECRET });
  const digests = [secretDigest(newer), secretDigest(SECRET)];
  await dataSource.query('UPDATE platform_secret SET digest = $1, previous_digest = $2', digests);
  await open(newer, { previousSecret: SECRET });
  await expect(open(SECRET)).rejects.toThrow('TRAWL_SECRET is not the one');
  await expect(open(newer)).rejects.toThrow('The rotation of TRAWL_SECRET is not finished');
  await dataSource.query('UPDATE platform_secret SET previous_digest = NULL');
  await open(newer);
  await dataSource.query('UPDATE platform_secret SET digest = $1', [secretDigest(SECRET)]);
});

it('PgBouncer in transaction mode is refused, and the error says why', async () => {
  const pooler = await TestPgBouncer.start(url, 'transaction');
  try {
    await expect(open(SECRET, { postgresUrl: pooler.url })).rejects.toThrow(
      'POSTGRES_URL leads to a connection pooler in transaction mode',
    );
  } finally {
    await pooler.stop();
  }
});

it('the backend can open its database through PgBouncer in session mode', async () => {
  const pooler = await TestPgBouncer.start(url, 'session');
  try {
    await expect(open(SECRET, { postgresUrl: pooler.url })).resolves.toBeDefined();
  } finally {
    await pooler.stop();
  }
});

it('an older backend refuses a schema with migrations that it does not know, and names them', async () => {
  const newest = await open(SECRET);
  const applied = () => newest.query('SELECT name FROM migrations ORDER BY id');
  const before = await applied();
  const older = open(SECRET, { migrations: MIGRATIONS.slice(0, -2) });
  await expect(older).rejects.toThrow(ConfigError);
  const names = MIGRATIONS.slice(-2).map(({ name }) => name);
  await expect(older).rejects.toThrow(
    `migrations that this version does not know: ${names.join(', ')}. Start that version, or a later one.`,
  );
  expect(await applied()).toEqual(before);
});

describe('a database of version 0.1.0 has other migrations', () => {
  const [initial, ...later] = MIGRATIONS.map(({ name }) => name);
  const nameRows = async (dataSource: DataSource) =>
    (await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY timestamp')).map(
      ({ name }) => name,
    );
  const replaceWith = async (dataSource: DataSource, names: string[]) => {
    await dataSource.query('DELETE FROM migrations WHERE name <> ALL ($1)', [later]);
    for (const name of names)
      await dataSource.query('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [name.slice(-13), name]);
  };

  it('the initial schema takes their place, once', async () => {
    const dataSource = await open(SECRET);
    await replaceWith(dataSource, [
      'InitialSchema1795262400000',
      'TimeLimits1795291200000',
      'ObjectStore1795431000000',
    ]);
    await Promise.all(Array.from({ length: STARTS }, () => open(SECRET)));
    expect(await nameRows(dataSource)).toEqual([initial, ...later]);
  });

  it.each(['InitialSchema1795262400000', 'ChromiumVersion1795424100000'])(
    'one that ends with %s is refused, and stays as it is',
    async last => {
      const dataSource = await open(SECRET);
      await replaceWith(dataSource, [last]);
      const before = await nameRows(dataSource);
      await expect(open(SECRET)).rejects.toThrow(ConfigError);
      await expect(open(SECRET)).rejects.toThrow('older than version 0.1.0');
      expect(await nameRows(dataSource)).toEqual(before);
      await replaceWith(dataSource, [String(initial)]);
    },
  );
});
