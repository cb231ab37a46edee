import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { verify } from '@node-rs/argon2';
import type { Credential } from '@trawl/contracts';
import { pino } from 'pino';
import { appForFile } from '../../../test/test-app.js';
import { createApp } from '../../app.js';
import type { Config } from '../../platform/common/config.js';

const { app } = appForFile();
let folder: string;
const started: NestExpressApplication[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-first-accounts-'));
  await app.sql('DELETE FROM users');
});
afterEach(async () => {
  for (const backend of started.splice(0)) await backend.close();
  rmSync(folder, { recursive: true });
});

async function startBackend(dataDir: string, settings: Partial<Config> = {}): Promise<void> {
  const backend = await createApp({ ...app.config, dataDir, ...settings }, pino({ level: 'silent' }));
  started.push(backend);
  await backend.init();
}

const accounts = () =>
  app.sql<{ username: string; password_hash: string; databases: string[] }>(
    `SELECT u.username, u.password_hash, array_agg(d.name) FILTER (WHERE d.id IS NOT NULL) AS databases
     FROM users u LEFT JOIN mongo_databases d ON d.owner_id = u.id GROUP BY u.id ORDER BY u.username`,
  );

describe('the first accounts', () => {
  it('are created once when several backends start at the same time', async () => {
    const dataDirs = ['a', 'b', 'c'].map(name => join(folder, name));
    await Promise.all(dataDirs.map(dataDir => startBackend(dataDir)));

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

  it('are those of TRAWL_FIRST_ACCOUNTS, whose passwords are not written to a file', async () => {
    const grace = { username: 'grace', role: 'admin', password: 'a password for tests' } as const;
    await startBackend(join(folder, 'given'), { firstAccounts: [grace] });
    const [row, ...others] = await accounts();
    expect([row?.username, row?.databases, others]).toEqual(['grace', ['main'], []]);
    expect(await verify(String(row?.password_hash), grace.password)).toBe(true);
    expect(existsSync(join(folder, 'given', 'credentials.json'))).toBe(false);
  });

  it('are not created when their passwords cannot be written, so that the next start can retry', async () => {
    const blocked = join(folder, 'blocked');
    const file = join(blocked, 'credentials.json');
    mkdirSync(file, { recursive: true }); // a folder where the file should be
    await expect(startBackend(blocked)).rejects.toThrow('EISDIR');
    expect(await accounts()).toEqual([]);

    rmSync(file, { recursive: true });
    await startBackend(blocked);
    expect((await accounts()).map(({ databases }) => databases)).toEqual([['main'], ['main']]);
  });
});
