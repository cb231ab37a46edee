import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../../../test/servers/free-port.js';
import { startTestS3 } from '../../../../test/servers/test-s3.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';
import type { Config } from '../../../platform/common/config.js';
import { MIGRATIONS } from '../../../platform/database/database.module.js';
import { examine } from './doctor.js';

const { app } = appForFile();
const fleet = fleetForEachTest(app);

/** Makes all checks with settings that differ from those of the running backend. */
async function findings(settings: Partial<Config> = {}, { hasSecret = true } = {}): Promise<string[]> {
  const port = Number(new URL(app.url).port);
  const config = { ...app.config, port, ...settings };
  const found = await examine({ config, hasSecret, isEmbedded: false, close: async () => undefined });
  return found.map(({ state, text }) => `${state} ${text}`);
}

const S3 = {
  bucket: 'echoes',
  region: 'us-east-1',
  credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  pathStyle: true,
};

const badOf = (found: string[]): string[] => found.filter(line => line.startsWith('bad'));

it('trawl-admin doctor reports nothing bad about a healthy platform, and names the versions', async () => {
  const found = await findings();
  expect(badOf(found)).toEqual([]);
  const versions = [/^ok PostgreSQL is reachable and has version \d+/, /^ok MongoDB is reachable and has version \d+/];
  for (const line of [...versions, /^ok The backend on port \d+ is ready/, /^ok TRAWL_SECRET is the one/]) {
    expect(found).toContainEqual(expect.stringMatching(line));
  }
  expect(found).toContain(`ok The schema is up to date, with ${MIGRATIONS.length} migrations.`);
});

it('trawl-admin doctor names each unreachable server with its setting, and still reports other checks', async () => {
  const port = await freePort();
  const found = await findings({
    postgresUrl: `postgresql://trawl:secret@127.0.0.1:${port}/trawl`,
    userPostgresUrl: `postgresql://trawl:secret@127.0.0.1:${port}/trawl`,
    mongodbUri: `mongodb://127.0.0.1:${port}`,
    redisUrl: `redis://127.0.0.1:${port}`,
    smtpUrl: `smtp://127.0.0.1:${port}`,
    s3: { ...S3, url: `http://127.0.0.1:${port}` },
  });
  const bad = badOf(found).join('\n');
  for (const name of ['POSTGRES_URL', 'USER_POSTGRES_URL', 'MONGODB_URI', 'REDIS_URL', 'SMTP_URL']) {
    expect(bad).toContain(`Check ${name}`);
  }
  expect(bad).toContain('Check the settings TRAWL_S3_…');
  expect(bad).not.toContain('secret');
  expect(found).toContain('ok Other users cannot read the secrets in the data folder.');
});

it('trawl-admin doctor tests the bucket for echoes, and reports saved echoes whose bucket is not set', async () => {
  const s3 = await startTestS3();
  try {
    expect(await findings({ s3: s3.settings, echoStore: 's3' })).toContain(
      'ok Objects can be written, read and deleted in the bucket echoes.',
    );
    expect(s3.keys()).toEqual([]);
    const elsewhere = { ...s3.settings, bucket: 'elsewhere' };
    expect(badOf(await findings({ s3: elsewhere }))).toEqual([
      expect.stringMatching('cannot be written in the bucket elsewhere: NoSuchBucket'),
    ]);
  } finally {
    await s3.close();
  }
  await app.sql(
    `INSERT INTO echo_chunks (execution_id, n, from_seq, to_seq, object_key) VALUES (uuidv7(), 1, 1, 1, 'echoes/x')`,
  );
  expect(badOf(await findings())).toEqual([expect.stringContaining('set TRAWL_S3_BUCKET as before')]);
  await app.sql('DELETE FROM echo_chunks');
});

it('trawl-admin doctor reports a wrong or missing secret, and an unfinished rotation of the secret', async () => {
  const other = 'another secret that is long enough';
  expect(badOf(await findings({ secret: other }))).toEqual([expect.stringContaining('TRAWL_SECRET is not the one')]);
  expect(badOf(await findings({}, { hasSecret: false }))).toEqual([expect.stringContaining('TRAWL_SECRET is missing')]);
  await app.sql(`UPDATE platform_secret SET previous_digest = 'x'`);
  expect(badOf(await findings())).toEqual([expect.stringContaining('Set TRAWL_SECRET_PREVIOUS')]);
  await app.sql('UPDATE platform_secret SET previous_digest = NULL');
});

it('trawl-admin doctor reports a schema of a newer version, and accepts one that the next start updates', async () => {
  await app.sql(`INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'OfTheFuture1999999999999')`);
  expect(badOf(await findings())).toEqual([expect.stringContaining('OfTheFuture1999999999999')]);
  await app.sql(`DELETE FROM migrations WHERE timestamp = 1999999999999`);
  const last = MIGRATIONS.at(-1)?.name;
  const [row] = await app.sql<{ timestamp: string }>('DELETE FROM migrations WHERE name = $1 RETURNING timestamp', [
    last,
  ]);
  const found = await findings();
  expect(badOf(found)).toEqual([]);
  expect(found).toContainEqual(expect.stringContaining(`runs the missing migrations: ${last}.`));
  await app.sql('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [row?.timestamp, last]);
});

it('trawl-admin doctor names secrets that other users can read, with the chmod command that protects them', async () => {
  const file = join(app.config.dataDir, 'secret');
  writeFileSync(file, 'x');
  chmodSync(file, 0o644);
  expect(badOf(await findings())).toEqual([`bad Other users can read ${file}. Run: chmod 600 ${file}`]);
  chmodSync(file, 0o600);
  expect(badOf(await findings())).toEqual([]);
});

it('trawl-admin doctor reports a port that another program uses', async () => {
  const other: Server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect(badOf(await findings({ port, host: '127.0.0.1' }))).toEqual([
    `bad Port ${port} cannot be used: EADDRINUSE. Stop the program that uses it, or set PORT to another one.`,
  ]);
  other.close();
});

it('trawl-admin doctor reports a USER_POSTGRES_URL whose role is not a superuser', async () => {
  const server = new Client({ connectionString: String(process.env.TRAWL_TEST_POSTGRES_URL) });
  await server.connect();
  const role = `trawl_test_doctor_${process.pid}`;
  await server.query(`CREATE ROLE ${role} LOGIN PASSWORD 'weak'`);
  // Other tests have closed the database to roles without this right.
  await server.query(
    `GRANT CONNECT ON DATABASE ${new URL(String(process.env.TRAWL_TEST_POSTGRES_URL)).pathname.slice(1)} TO ${role}`,
  );
  try {
    const url = Object.assign(new URL(String(process.env.TRAWL_TEST_POSTGRES_URL)), {
      username: role,
      password: 'weak',
    });
    expect(badOf(await findings({ userPostgresUrl: url.toString() }))).toEqual([
      expect.stringContaining('USER_POSTGRES_URL must name a superuser'),
    ]);
  } finally {
    await server.query(`DROP OWNED BY ${role}`);
    await server.query(`DROP ROLE ${role}`);
    await server.end();
  }
});

it('trawl-admin doctor names an online worker that has an old Chromium', async () => {
  await fleet.connect({ chromium: '999.0.1.2' });
  expect(await findings()).toContain('ok No worker has a Chromium that is older than 60 days.');
  await fleet.connect({ chromium: '143.0.7499.40' });
  expect(badOf(await findings())).toEqual([
    expect.stringMatching(/ has Chromium 143\.0\.7499\.40 of 2025-12, which has/),
  ]);
});
