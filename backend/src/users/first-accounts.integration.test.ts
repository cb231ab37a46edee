import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { verify } from '@node-rs/argon2';
import type { Credential } from '@trawl/contracts';
import { pino } from 'pino';
import { startTestApp, type TestApp } from '../../test/test-app.js';
import { createApp } from '../app.js';

jest.setTimeout(60_000);

let app: TestApp;
let folder: string;
const started: NestExpressApplication[] = [];

beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-first-accounts-'));
  await app.sql('DELETE FROM users');
});
afterEach(async () => {
  for (const backend of started.splice(0)) await backend.close();
  rmSync(folder, { recursive: true });
});
afterAll(() => app?.close());

async function startBackend(dataDir: string): Promise<void> {
  const backend = await createApp({ ...app.config, dataDir }, pino({ level: 'silent' }));
  started.push(backend);
  await backend.init();
}

const accounts = () =>
  app.sql<{ username: string; password_hash: string; databases: string[] }>(
    `SELECT u.username, u.password_hash, array_agg(d.name) FILTER (WHERE d.id IS NOT NULL) AS databases
     FROM users u LEFT JOIN mongo_databases d ON d.owner_id = u.id GROUP BY u.id ORDER BY u.username`,
  );

describe('the first accounts', () => {
  it('are made by one of the backends that start at once, which alone writes their passwords', async () => {
    const dataDirs = ['a', 'b', 'c'].map(name => join(folder, name));
    await Promise.all(dataDirs.map(startBackend));

    const rows = await accounts();
    expect(rows.map(({ username, databases }) => [username, databases])).toEqual([
      ['admin', ['main']],
      ['developer', ['main']],
    ]);
    const files = dataDirs.map(dataDir => join(dataDir, 'credentials.json')).filter(file => existsSync(file));
    expect(files).toHaveLength(1);
    const credentials = JSON.parse(readFileSync(String(files[0]), 'utf8')) as Credential[];
    for (const { username, password } of credentials) {
      const row = rows.find(account => account.username === username);
      expect(await verify(String(row?.password_hash), password)).toBe(true);
    }
  });

  it('are not made when their passwords cannot be written, so that the next start makes them', async () => {
    const blocked = join(folder, 'blocked');
    writeFileSync(blocked, 'a file where the data folder should be');
    await expect(startBackend(blocked)).rejects.toThrow('EEXIST');
    expect(await accounts()).toEqual([]);

    rmSync(blocked);
    mkdirSync(blocked);
    await startBackend(blocked);
    expect((await accounts()).map(({ databases }) => databases)).toEqual([['main'], ['main']]);
  });
});
