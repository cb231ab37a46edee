import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortPair } from '../harness/platform.js';
import { until } from '../harness/until.js';

jest.setTimeout(300_000);

/** `npm start` as a terminal sees it. */
class Start {
  output = '';
  readonly process: ChildProcess;

  constructor(env: Record<string, string>, args: string[] = []) {
    // Without our test databases: it is to start its own.
    const { TRAWL_TEST_POSTGRES_URL: _p, TRAWL_TEST_MONGODB_URI: _m, NODE_ENV: _n, ...inherited } = process.env;
    this.process = spawn(process.execPath, ['scripts/start.mjs', ...args], {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', chunk => {
        this.output += chunk;
      });
    }
  }

  async says(text: string): Promise<void> {
    await until(
      async () => {
        if (this.process.exitCode !== null) throw new Error(`It ended before it said "${text}":\n${this.output}`);
        return this.output.includes(text);
      },
      `"${text}" in:\n${this.output}`,
      240_000,
    );
  }

  async ends(signal?: NodeJS.Signals): Promise<number | null> {
    const ended = once(this.process, 'exit');
    if (signal) this.process.kill(signal);
    const [code] = await ended;
    return code;
  }
}

/** Command lines of the processes that have this folder in them. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(pid => {
      try {
        return `${readFileSync(`/proc/${pid}/cmdline`, 'utf8')}\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`;
      } catch {
        return ''; // it has just ended
      }
    })
    .filter(text => text.includes(folder))
    .map(text => text.replaceAll('\0', ' ').slice(0, 200));
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-start-'));
  chmodSync(folder, 0o711);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a first start runs the sample and says where everything is; Ctrl-C leaves no process; a second one has all data', async () => {
  const dataDir = join(folder, 'data');
  const port = await freePortPair();
  // The address that the website was built for, so that it is not built again under the tests that read it.
  const env = { PORT: String(port), TRAWL_DATA_DIR: dataDir, TRAWL_PUBLIC_URL: 'http://localhost:3000' };

  const first = new Start(env);
  await first.says('Ctrl-C stops everything');
  for (const part of [
    '50 of 50 pages, 1000 products',
    '1000 rows in the collection products',
    `http://127.0.0.1:${port}/panel/login`,
    'admin / ',
    'developer / ',
  ]) {
    expect(first.output).toContain(part);
  }
  expect(processesOf(folder).length).toBeGreaterThan(4);
  expect(await first.ends('SIGINT')).toBe(0);
  expect(processesOf(folder)).toEqual([]);

  const second = new Start(env);
  await second.says('Ctrl-C stops everything');
  expect(second.output).not.toContain('Running the skript');
  const { password } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))[1];
  const call = async (path: string, token?: string, body?: object) =>
    (
      await fetch(`http://127.0.0.1:${port}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: body && JSON.stringify(body),
      })
    ).json();
  const { jwtToken } = await call('/panel/login', undefined, { username: 'developer', password });
  const databases = await call('/joint-api/mongo-databases/list', jwtToken);
  expect(await call(`/joint-api/mongo/${databases.items[0].id}/products/list?limit=1`, jwtToken)).toMatchObject({
    total: 1000,
  });
  expect(await call('/joint-api/skript-execution/list', jwtToken)).toMatchObject({ items: [{ action: 'end' }] });

  // However it goes: what it started goes with it.
  await second.ends('SIGKILL');
  await until(async () => processesOf(folder).length === 0, 'every process to be gone', 20_000);
});

it('the demo succeeds only when the rows are in the database', async () => {
  const good = new Start({}, ['--demo']);
  expect({ code: await good.ends(), output: good.output }).toMatchObject({ code: 0 });
  expect(good.output).toContain('1000 rows');

  const bad = new Start({ MONGODB_URI: 'mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=500' }, ['--demo']);
  expect(await bad.ends()).not.toBe(0);
  expect(bad.output).not.toContain('1000 rows');
});
