import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { needed } from '../harness/needed.js';
import { freePortPair } from '../harness/ports.js';
import { temporaryFolder } from '../harness/temporary-folder.js';
import { until } from '../harness/until.js';

/** An `npm start` and its output. */
class Start {
  output = '';
  readonly process: ChildProcess;

  constructor(env: Record<string, string>, args: string[] = []) {
    // Remove the addresses of the test databases, so that this `npm start` starts databases of its own.
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

  async prints(text: string): Promise<void> {
    await until(
      async () => {
        if (this.process.exitCode !== null) throw new Error(`It exited before it printed "${text}":\n${this.output}`);
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

/** Returns the arguments and the environment of a process; empty if it has just ended. */
function commandOf(pid: string): string {
  try {
    return ['cmdline', 'environ'].map(file => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('\0');
  } catch {
    return '';
  }
}

/** Returns the processes whose arguments or environment contain this folder. */
const processIdsOf = (folder: string): string[] =>
  readdirSync('/proc').filter(name => /^\d+$/.test(name) && commandOf(name).includes(folder));

/** Returns the command lines of processes whose arguments or environment contain this folder. */
const processesOf = (folder: string): string[] =>
  processIdsOf(folder).map(pid => commandOf(pid).replaceAll('\0', ' ').slice(0, 200));

/** For starts that need no Chromium. Without Chromium a start takes half the time. */
const WITHOUT_BROWSER = { CHROME_PATH: '/bin/false' };
/** Without these settings, the worker starts up to 128 processes in advance, and restarts with a newer Chromium. */
const FEW_SLOTS = { TRAWL_SLOTS: '2', TRAWL_FETCH_CHROMIUM: '0' };

let folder: string;
beforeAll(() => {
  folder = temporaryFolder('trawl-start-');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let env: Record<string, string>;
beforeAll(async () => {
  const port = await freePortPair();
  env = { PORT: String(port), TRAWL_DATA_DIR: join(folder, 'data'), ...FEW_SLOTS };
});

it('the first `npm start` runs the sample and prints URLs and passwords; Ctrl-C ends every process', async () => {
  // The sample needs no Chromium. Only the full suite starts as users do.
  const first = new Start(isFullTest ? env : { ...env, ...WITHOUT_BROWSER });
  await first.prints('Press Ctrl-C to stop');
  for (const part of [
    '50 of 50 pages, 1000 products',
    '1000 rows in the collection products',
    `http://127.0.0.1:${env.PORT}/panel/login`,
    'admin / ',
    'developer / ',
  ]) {
    expect(first.output).toContain(part);
  }
  expect(processesOf(folder).length).toBeGreaterThan(4);
  if (process.getuid?.() === 0 && existsSync('/proc/self/autogroup')) {
    const [backend] = processIdsOf(folder).filter(pid => commandOf(pid).includes('backend/dist/main.js'));
    expect(readFileSync(`/proc/${backend}/autogroup`, 'utf8')).toContain('nice -10');
  }
  expect(await first.ends('SIGINT')).toBe(0);
  expect(processesOf(folder)).toEqual([]);
});

// Only in the full suite: other tests start backend and databases again on the same data, and check that a backend, a
// worker and the databases end when the process that started them is killed.
if (isFullTest)
  it('the second `npm start` has the data of the first; every process ends when it is killed', async () => {
    const second = new Start({ ...env, ...WITHOUT_BROWSER });
    await second.prints('Press Ctrl-C to stop');
    expect(second.output).not.toContain('Running the skript');
    const { password } = JSON.parse(readFileSync(join(folder, 'data', 'credentials.json'), 'utf8'))[1];
    const call = async (path: string, token?: string, body?: object) =>
      (
        await fetch(`http://127.0.0.1:${env.PORT}${path}`, {
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

    await second.ends('SIGKILL');
    const left = () => processesOf(folder).join('\n');
    await until(async () => left() === '', 'every process to be gone', 60_000, left);
  });

// Only in the full suite: the demo is a first start with a temporary data folder, and scripts/test/start.unit.test.ts tests
// its runs with and without rows.
if (isFullTest)
  describe('`npm start -- --demo`', () => {
    it('exits with code 0 when the rows of the sample run are in the database', async () => {
      const good = new Start({ ...WITHOUT_BROWSER, ...FEW_SLOTS }, ['--demo']);
      expect({ code: await good.ends(), output: good.output }).toMatchObject({ code: 0 });
      expect(good.output).toContain('1000 rows');
    });

    it('exits with an error when the database refuses the rows of the sample run', async () => {
      const refusing = Object.assign(new URL(needed('TRAWL_TEST_MONGODB_URI')), {
        username: 'nobody',
        password: 'wrong',
      });
      const bad = new Start({ ...WITHOUT_BROWSER, ...FEW_SLOTS, MONGODB_URI: refusing.toString() }, ['--demo']);
      expect(await bad.ends()).not.toBe(0);
      expect(bad.output).toContain('Running the skript');
      expect(bad.output).not.toContain('1000 rows');
    });
  });
