import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cacheDir } from '@trawl/embedded/cache-dir';

const PROGRAM = resolve('packages/cli/dist/trawl.js');
/** The user id `nobody`, if this test may start the program as an ordinary user too. */
const OTHER_USER = process.getuid?.() === 0 && [PROGRAM, process.execPath].every(isInReachOfAll) ? 65_534 : null;
/** On another system, a run is a process without a sandbox. */
const onLinux = process.platform === 'linux' ? it : it.skip;

let home: string;
let server: Server;
let visits: number;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'trawl-local-'));
  visits = 0;
  server = createServer((_request, response) => {
    visits += 1;
    response.end('a secret of this computer');
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
});

afterEach(async () => {
  await new Promise(done => server.close(done));
  rmSync(home, { recursive: true, force: true });
});

/** Returns whether every user may pass through all folders of a path. */
function isInReachOfAll(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o001) !== 0;
  return path === dirname(path) || ((isOpen || statSync(path).isFile()) && isInReachOfAll(dirname(path)));
}

const address = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

function writeFiles(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), text);
  }
}

interface End {
  outcome: { output: any; error_code: string | null; error_stack: string | null };
  stderr: string;
}

/**
 * Runs the skript in the folder `skript` with this input. The program itself gets a secret, as a user may have one.
 *
 * @param uid null for the user of this test
 */
function start(input: unknown, env: Record<string, string> = {}, uid: number | null = null): Promise<End> {
  // Another user needs no copy of its own of what root has downloaded.
  const PATH = `${process.env.PATH}:${join(cacheDir(), `bwrap-${process.arch}`, 'usr', 'bin')}`;
  const all = { PATH, HOME: home, TRAWL_KEY: 'trk_secret', ...env };
  const user = uid === null ? {} : { uid, gid: uid };
  const args = [PROGRAM, 'start', '--json', '-i', '-'];
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: join(home, 'skript'), env: all, ...user },
      (_error, stdout, stderr) => resolve({ outcome: stdout === '' ? ({} as never) : JSON.parse(stdout), stderr }),
    );
    child.stdin?.end(JSON.stringify(input));
  });
}

const REACHES = `const fs = require('node:fs');
const attempt = async reach => {
  try {
    return await reach();
  } catch (error) {
    return error.cause?.code ?? error.code;
  }
};
module.exports = async ({ home, url }) => {
  fs.writeFileSync('written.txt', 'by the run');
  return {
    files: await Promise.all(
      ['.ssh/id_ed25519', 'skript/.env', 'skript/main.js'].map(name => attempt(() => fs.readFileSync(home + '/' + name, 'utf8'))),
    ),
    written: await attempt(() => fs.writeFileSync(home + '/planted.txt', '')),
    beside: fs.readFileSync(__dirname + '/data.csv', 'utf8'),
    addresses: await Promise.all([url, 'http://169.254.169.254/'].map(address =>
      attempt(async () => (await fetch(address, { signal: AbortSignal.timeout(60000) })).text()))),
    secrets: Object.entries(process.env).filter(entry => entry.join().includes('secret')),
    isAlone: fs.readdirSync('/proc').filter(name => name > 0).length < 5,
  };
};`;

onLinux.each<[who: string, uid: number | null]>([
  ['this user', null],
  ...(OTHER_USER === null ? [] : [['an ordinary user', OTHER_USER] as [string, number]]),
])('a local run cannot read files of %s, reach this computer’s addresses or see secrets', async (_who, uid) => {
  writeFiles({
    '.ssh/id_ed25519': 'a private key',
    'skript/manifest.json': '{ "title": "Hostile" }',
    'skript/main.js': REACHES,
    'skript/.env': 'TOKEN=1',
    'skript/data.csv': 'a,b',
  });
  if (uid !== null) {
    for (const name of ['.', ...readdirSync(home, { recursive: true, encoding: 'utf8' })])
      chownSync(join(home, name), uid, uid);
  }
  const input = { home, url: `http://${address()}/` };
  const { outcome, stderr } = await start(input, {}, uid);
  expect([outcome, stderr]).toMatchObject([
    {
      error_code: null,
      output: {
        files: ['ENOENT', 'ENOENT', 'ENOENT'],
        written: 'ENOENT',
        beside: 'a,b',
        addresses: ['ECONNREFUSED', 'EACCES'],
        secrets: [],
        isAlone: true,
      },
    },
    expect.not.stringContaining('Warning'),
  ]);
  expect([visits, existsSync(join(home, 'planted.txt'))]).toEqual([0, false]);
  expect(readdirSync(join(home, 'skript')).sort()).toEqual(['.env', 'data.csv', 'main.js', 'manifest.json']);

  // The same code reads the setting for each user.
  if (uid !== null && !isFullTest) return;
  // The user can allow an address.
  const allowed = await start(input, { TRAWL_EGRESS_ALLOW: address() }, uid);
  expect([allowed.outcome.output.addresses, visits]).toEqual([['a secret of this computer', 'EACCES'], 1]);
  const wrong = await start(input, { TRAWL_EGRESS_ALLOW: 'everything' }, uid);
  expect(wrong.stderr).toContain('TRAWL_EGRESS_ALLOW: \\"everything\\" is not host:port');
});

onLinux('`trawl start` refuses a skript folder with links that lead out of it', async () => {
  writeFiles({
    '.ssh/id_ed25519': 'a private key',
    'skript/manifest.json': '{ "title": "Linked" }',
    'skript/main.js': 'module.exports = () => 1;',
  });
  symlinkSync(join(home, '.ssh'), join(home, 'skript', 'node_modules'));
  expect((await start(null)).stderr).toContain('node_modules is a link that leads out of the skript');
  unlinkSync(join(home, 'skript', 'node_modules'));
  mkdirSync(join(home, 'skript', '.trawl', 'storage'), { recursive: true });
  symlinkSync(join(home, '.ssh', 'id_ed25519'), join(home, 'skript', '.trawl', 'storage', 'keys.jsonl'));
  expect((await start(null)).stderr).toContain('keys.jsonl is a link that leads out of the skript');
});

onLinux('`trawl start` without a sandbox warns, then runs the skript with its libraries', async () => {
  writeFiles({
    'bin/bwrap': '#!/bin/sh\necho "no namespaces here" >&2\nexit 1\n',
    'skript/manifest.json': '{ "title": "Bare" }',
    'skript/package.json': '{ "dependencies": { "small": "1.0.0" } }',
    'skript/main.js': "module.exports = () => [require('small')(), __dirname, Object.keys(process.env)];",
    'skript/node_modules/small/package.json': '{ "name": "small", "version": "1.0.0" }',
    'skript/node_modules/small/index.js': "module.exports = () => typeof require('axios').get;",
  });
  chmodSync(join(home, 'bin', 'bwrap'), 0o755);
  const { outcome, stderr } = await start(null, { PATH: `${join(home, 'bin')}:${process.env.PATH}` });
  const [library, folder, variables] = outcome.output;
  expect([library, variables.includes('TRAWL_KEY')]).toEqual(['function', false]);
  expect([folder.startsWith(join(home, 'skript')), existsSync(folder)]).toEqual([false, false]);
  expect(stderr).toMatch(/^Warning: The sandbox of this computer lacks: .*namespaces.* Run only code that you trust\./);
});

onLinux('a local run over its time limit or memory limit ends with the same error as on a worker', async () => {
  writeFiles({
    'skript/manifest.json': '{ "title": "Greedy", "time_limit_ms": 1000 }',
    'skript/main.js': 'module.exports = () => { for (;;); };',
  });
  const { outcome } = await start(null);
  expect([outcome.error_code, outcome.error_stack]).toEqual([
    'time_limit',
    expect.stringContaining('longer than its time limit of 1000 ms'),
  ]);
  writeFiles({
    'skript/manifest.json': '{ "title": "Greedy" }',
    'skript/main.js': 'module.exports = () => { const all = []; for (;;) all.push(Buffer.alloc(5e6, 1)); };',
  });
  const { outcome: full } = await start(null, { TRAWL_RUN_MEMORY_MB: '100' });
  expect([full.error_code, full.error_stack]).toEqual([
    'memory_limit',
    expect.stringMatching(/^The run needed more than 100 MB of memory\..*TRAWL_RUN_MEMORY_MB/),
  ]);
});

it('`trawl start` refuses a time limit outside the platform’s range with exit code 2', async () => {
  writeFiles({
    'skript/manifest.json': '{ "title": "Greedy", "time_limit_ms": 1 }',
    'skript/main.js': 'module.exports = () => 1;',
  });
  const { stderr } = await start(null);
  expect(JSON.parse(stderr.slice(stderr.indexOf('{')))).toMatchObject({
    error_message: 'time_limit_ms in manifest.json must be a number of milliseconds from 1000 to 86400000.',
    exit_code: 2,
  });
});
