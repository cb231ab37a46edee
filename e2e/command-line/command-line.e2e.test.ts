import { spawnSync } from 'node:child_process';
import {
  chmodSync,
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
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { type TrawlEnd, trawl } from '../harness/hosted-trawl.js';
import { needed } from '../harness/needed.js';
import type { Api } from '../harness/platform-client.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import { startTrawl, Terminal } from '../harness/trawl-process.js';
import { until } from '../harness/until.js';

const platform = sharedPlatform();
let developer: Api;
let home: string;
/** Environment of a program that has the developer's API key. */
let withKey: Record<string, string>;

beforeAll(async () => {
  developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: 'command line', scope: 'all' });
  withKey = { TRAWL_URL: platform.url, TRAWL_KEY: body.key };
});

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-cli-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs a command with the API key in a folder of `home`, and expects its exit code. */
async function run(args: string[], { folder = '.', code = 0, input = '' } = {}): Promise<TrawlEnd> {
  const end = await trawl(args, { cwd: join(home, folder), env: withKey, input });
  expect([args.join(' '), end.code, end.code === code ? '' : end.stderr]).toEqual([args.join(' '), code, '']);
  return end;
}

/** Makes a workbook of sheets with one column, which has one cell. */
async function workbook(columns: Record<string, string>): Promise<Buffer> {
  const zip = new ZipFile();
  const names = Object.keys(columns);
  const listed = names.map(name => `<sheet name="${name}" id="${name}"/>`);
  zip.addBuffer(Buffer.from(`<workbook><sheets>${listed.join('')}</sheets></workbook>`), 'xl/workbook.xml');
  const relations = names.map(name => `<Relationship Id="${name}" Target="${name}.xml"/>`);
  zip.addBuffer(Buffer.from(`<Relationships>${relations.join('')}</Relationships>`), 'xl/_rels/workbook.xml.rels');
  for (const [name, column] of Object.entries(columns)) {
    const rows = [column, 'x'].map(cell => `<row><c t="str"><v>${cell}</v></c></row>`);
    zip.addBuffer(Buffer.from(`<sheetData>${rows.join('')}</sheetData>`), `xl/${name}.xml`);
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** Returns whether a process runs. A zombie does not. */
const isRunning = (pid: number): boolean =>
  /^\s*[^Z\s]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout);

/** Returns the ids of all processes that a process has started, directly or not. */
function descendantsOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const all = stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    all.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}

const json = ({ stdout }: TrawlEnd): any => JSON.parse(stdout);

/** Writes the folder of a skript. */
function skriptFolder(title: string, files: Record<string, string>): void {
  const all: Record<string, string> = { 'manifest.json': JSON.stringify({ title }), ...files };
  for (const [name, content] of Object.entries(all)) {
    const path = join(home, title, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
  }
}

const skriptOf = async (title: string): Promise<any> =>
  (await developer('GET', `/joint-api/skripts/list?title_contains=${title}`)).body.items[0];

const filesOf = async (title: string): Promise<string[]> =>
  (await developer('GET', `/joint-api/skripts/${(await skriptOf(title)).id}`)).body.files.map((file: any) => file.name);

/** The warning of a bundle, without its place. */
const NEEDS_BROWSER = /main\.js:1:\d+: @mikosoft\/httpclient-pptr needs a browser, so this skript runs in .*\n?$/;

/** The commands that run a skript again on each save. */
const WATCHES = ['dev', 'dev --remote', 'run --watch'];

/** A skript that asks a question and echoes the answer. */
const ASKS = `const { echo } = require('@trawl/echo');
module.exports = async () => {
  const answer = await echo.question('Which page?', { choices: ['first', 'last'] });
  echo.log('got ' + answer);
  return answer;
};`;

describe('`trawl login`', () => {
  it('keeps the session in a file that only its owner can read, until `trawl logout` ends the session', async () => {
    const { username, password } = platform.credential('developer');
    const env = { XDG_CONFIG_HOME: home };
    const login = ['login', '--url', platform.url, '--username', username, '--password-stdin'];
    const wrong = await trawl(login, { cwd: home, env, input: 'wrong' });
    expect([wrong.code, wrong.stderr]).toEqual([3, 'Wrong username or password.\n']);

    expect(await trawl(login, { cwd: home, env, input: `${password}\n` })).toMatchObject({ code: 0 });
    const file = join(home, 'trawl', 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { key } = JSON.parse(readFileSync(file, 'utf8')).profiles.default;
    expect((await trawl(['whoami'], { cwd: home, env })).stdout).toContain(username);
    chmodSync(file, 0o644);
    expect((await trawl(['whoami'], { cwd: home, env })).stderr).toContain(`Run: chmod 600 "${file}"`);
    chmodSync(file, 0o600);

    expect(await trawl(['logout'], { cwd: home, env })).toMatchObject({ code: 0 });
    expect(await trawl(['whoami'], { cwd: home, env })).toMatchObject({
      code: 3,
      stderr: 'You are not signed in. Sign in with: trawl login\n',
    });
    const session = await trawl(['whoami'], { cwd: home, env: { TRAWL_URL: platform.url, TRAWL_KEY: key } });
    expect([session.code, session.stderr]).toEqual([
      3,
      expect.stringMatching(/Sign in with: trawl login\nTRAWL_KEY is set/),
    ]);
  });

  it('asks for address, username and password at a terminal, and does not show the password', async () => {
    const { username, password } = platform.credential('developer');
    const env = { XDG_CONFIG_HOME: home };
    const terminal = new Terminal(['login'], { cwd: home, env });
    await terminal.shows('Address of Trawl');
    // The field has the usual address, which Ctrl-U deletes.
    terminal.type(`\x15${platform.url}\r`);
    await terminal.shows('Username');
    terminal.type(`${username}\r`);
    await terminal.shows('Password');
    terminal.type(`${password}\r`);
    expect([await terminal.ended, terminal.screen]).toEqual([0, expect.stringContaining(`as ${username}`)]);
    expect(terminal.screen).not.toContain(password);
  });

  it('stores a key for one platform; a command for another platform fails and does not send it', async () => {
    mkdirSync(join(home, 'trawl'));
    const profiles = {
      default: { url: 'https://trawl.example.com', username: 'a', key: 'trk_secret', is_session: false },
    };
    writeFileSync(join(home, 'trawl', 'credentials.json'), JSON.stringify({ current: 'default', profiles }), {
      mode: 0o600,
    });
    const end = await trawl(['whoami'], { cwd: home, env: { XDG_CONFIG_HOME: home, TRAWL_URL: platform.url } });
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('is for https://trawl.example.com')]);
  });
});

describe('on the command line, a skript', () => {
  it('is created, run locally, uploaded, run on the platform, and deleted', async () => {
    expect((await run(['init', 'Lengths', '-t', 'plain'])).stdout).toContain('trawl start');
    const inside = { folder: 'Lengths' };
    // As on the platform, the run gets input.json.
    const here = await run(['s'], inside);
    expect([here.stdout, here.stderr]).toEqual(['{\n  "length": 5\n}\n', expect.stringContaining('Hello, Trawl')]);
    expect((await run(['u'], inside)).stdout).toBe('Created Lengths\n');
    expect((await run(['u'], inside)).stdout).toBe('Nothing changed in Lengths\n');
    const there = await run(['run'], inside);
    expect([there.stdout, there.stderr]).toEqual([here.stdout, expect.stringContaining('Hello, Trawl')]);
    expect((await run(['call', 'Lengths', '-i', '-'], { input: '{ "name": "abc" }' })).stdout).toBe(
      '{\n  "length": 3\n}\n',
    );
    const [latest] = json(await run(['executions', 'Lengths', '--json']));
    expect(latest).toMatchObject({ action: 'end', skript: { name: 'Lengths' } });
    expect((await run(['logs', latest.id])).stdout).toMatch(/^\d\d:\d\d:\d\d\+00:00 Hello, abc\n$/);
    const [echo] = await platform.echoes(latest.id);
    const env = { ...withKey, TZ: 'Asia/Kathmandu' };
    const echoed = new Date(Date.parse(String(echo?.time)) + 345 * 60_000).toISOString();
    expect((await trawl(['logs', latest.id], { cwd: home, env })).stdout).toBe(
      `${echoed.slice(11, 19)}+05:45 Hello, abc\n`,
    );
    const started = new Date(Date.parse(latest.created_at) + 345 * 60_000).toISOString();
    expect((await trawl(['executions', 'Lengths'], { cwd: home, env })).stdout).toContain(
      `${started.slice(0, 19).replace('T', ' ')}+05:45`,
    );

    await run(['delete', 'Lengths', '-r'], { code: 2 });
    await run(['delete', 'Lengths', '-r', '-y']);
    expect(await skriptOf('Lengths')).toBeUndefined();
    const terminal = new Terminal(['delete', 'Lengths'], { cwd: home });
    await terminal.shows('The skript on the platform stays');
    terminal.type('n');
    expect([await terminal.ended, existsSync(join(home, 'Lengths'))]).toEqual([130, true]);
    await run(['delete', 'Lengths', '-y']);
    expect(existsSync(join(home, 'Lengths'))).toBe(false);
  });

  if (isFullTest)
    it('is created from the template that the user chooses at a terminal', async () => {
      const terminal = new Terminal(['init'], { cwd: home });
      await terminal.shows('Title of the skript');
      terminal.type('Flows\r');
      await terminal.shows('Template');
      terminal.type('\x1b[A\r'); // up: the last template
      expect([await terminal.ended, terminal.screen]).toEqual([0, expect.stringContaining('Created')]);
      expect(readFileSync(join(home, 'Flows', 'main.js'), 'utf8')).toContain('FunctionFlow');
    });

  if (isFullTest)
    it('is bundled, and `trawl start -b` runs the bundle until it is removed', async () => {
      skriptFolder('Bundled', {
        'main.js': "module.exports = async () => require('./lib/one');",
        'lib/one.js': 'module.exports = 1;',
      });
      const inside = { folder: 'Bundled' };
      await run(['b'], inside);
      writeFileSync(join(home, 'Bundled', 'lib', 'one.js'), 'module.exports = 2;');
      expect((await run(['start', '-b'], inside)).stdout).toBe('1\n');
      expect((await run(['start'], inside)).stdout).toBe('2\n');
      await run(['brm'], inside);
      await run(['start', '-b'], { ...inside, code: 4 });
    });
});

describe('a local run', () => {
  it('gets its input and secret, finds files and libraries of its folder, and does not inherit TRAWL_KEY', async () => {
    skriptFolder('Local', {
      'main.js': `const { readFileSync } = require('fs');
        module.exports = async (input, secret) => [input.n, secret.pin, require('small')(1), typeof dex8.eventEmitter.on,
          readFileSync(__dirname + '/data.csv', 'utf8'), process.env.TRAWL_KEY ?? null];`,
      'data.csv': 'a,b',
      'package.json': '{ "dependencies": { "small": "1.0.0" } }',
      'node_modules/small/package.json': '{ "name": "small", "version": "1.0.0", "main": "index.js" }',
      'node_modules/small/index.js': "module.exports = n => n + require('axios').VERSION.length * 0;",
      'input.json': '{ "n": 7 }',
      'inputSecret.json': '{ "pin": 8 }',
    });
    const { stdout } = await run(['start', '-i', 'input.json', '-is', 'inputSecret.json'], { folder: 'Local' });
    expect(JSON.parse(stdout)).toEqual([7, 8, 1, 'function', 'a,b', null]);
  });

  it('keeps MongoDB documents in files of the skript’s folder, which an upload leaves out', async () => {
    skriptFolder('Keeps', {
      'main.js': `const { mongo } = require('@trawl/storage');
        module.exports = async () => {
          await mongo.collection('books').insertOne({ title: 'Emma' });
          return mongo.collection('books').countDocuments({});
        };`,
    });
    expect((await run(['start'], { folder: 'Keeps' })).stdout).toBe('1\n');
    expect((await run(['start'], { folder: 'Keeps' })).stdout).toBe('2\n');
    expect(
      readFileSync(join(home, 'Keeps', '.trawl/storage/books.jsonl'), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(2);
    expect((await run(['upload', '--dry-run'], { folder: 'Keeps' })).stderr).toContain('Would not upload: .trawl/');
  });

  if (isFullTest)
    it('uses the PostgreSQL server in TRAWL_POSTGRES_URL, and names the variable in an error if it is not set', async () => {
      skriptFolder('Queries', {
        'main.js': `const { postgres } = require('@trawl/storage');
        module.exports = async () => (await postgres.query('SELECT $1::int AS n', [7])).rows[0].n;`,
      });
      expect((await run(['start'], { folder: 'Queries', code: 1 })).stderr).toContain('Set TRAWL_POSTGRES_URL');
      withKey = { ...withKey, TRAWL_POSTGRES_URL: needed('TRAWL_TEST_POSTGRES_URL') };
      expect((await run(['start'], { folder: 'Queries' })).stdout).toBe('7\n');
    });

  it('that fails shows the error with the file and line, without control codes of the message', async () => {
    skriptFolder('Fails', {
      'main.js': "module.exports = async () => {\n  throw new Error('no \\x07\\x1b[31mprice');\n};\n",
    });
    const { stdout, stderr } = await run(['start'], { folder: 'Fails', code: 1 });
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringMatching(/^(This computer runs .*\n)?Error: no price\n {4}at .*main\.js:2:9/),
    ]);
    expect(json(await run(['start', '--json'], { folder: 'Fails', code: 1 }))).toMatchObject({
      error_code: 'exception',
    });
  });

  it('ends on Ctrl-C, after the skript got the event `ff-stop`', async () => {
    skriptFolder('Waits', {
      'main.js': `module.exports = () => new Promise(resolve => {
        trawl.eventEmitter.on('ff-stop', () => { console.log('told to stop'); });
        console.log('waiting');
        setInterval(() => {}, 1000);
      });`,
    });
    const terminal = new Terminal(['start'], { cwd: join(home, 'Waits') });
    await terminal.shows('waiting');
    terminal.type('\x03');
    expect([await terminal.ended, terminal.screen]).toEqual([130, expect.stringContaining('told to stop')]);
  });

  it('leaves no process when `trawl start` is killed, even if the skript is in an endless loop', async () => {
    skriptFolder('Loops', { 'main.js': "module.exports = () => { console.log('looping'); for (;;); };" });
    const program = startTrawl(['start'], { cwd: join(home, 'Loops') });
    let shown = '';
    program.stderr.on('data', bytes => {
      shown += bytes;
    });
    await until(async () => shown.includes('looping'), 'the skript');
    const processes = descendantsOf(program.pid as number);
    expect(processes.filter(isRunning)).not.toEqual([]);
    program.kill('SIGKILL');
    await until(async () => !processes.some(isRunning), 'the end of the skript and of all that runs beside it');
  });

  if (isFullTest)
    it('asks the skript’s questions at a terminal; without one, the skript answers them or they time out', async () => {
      skriptFolder('Asks', { 'main.js': ASKS });
      const inside = join(home, 'Asks');
      const terminal = new Terminal(['start'], { cwd: inside });
      await terminal.shows('to navigate');
      terminal.type('\x1b[B\r'); // down: the last choice
      await terminal.shows('got last');
      expect(await terminal.ended).toBe(0);
      // The first question gets its answer from the skript, as older skripts do, and the second one gets none.
      skriptFolder('Asks', {
        'main.js': `const Echo = require('@mikosoft/echo');
        module.exports = async () => {
          const echo = new Echo(true, 0, dex8.eventEmitter, 50, 'shop');
          dex8.eventEmitter.once('echo-event', () => dex8.eventEmitter.emit('echo-answer', 'shop', 'Buy?', 'yes'));
          return [await echo.question('Buy?'), await echo.question('Sell?').catch(error => error.message)];
        };`,
      });
      const { stdout, stderr } = await run(['start'], { folder: 'Asks' });
      expect(JSON.parse(stdout)).toEqual(['yes', "No answer for 'Sell?' within 50ms"]);
      expect(stderr).toMatch(/ Buy\?\n.* warn: This is not a terminal, .*\n(.*\n)?.* Sell\?\n/);
    });

  it('of a skript with a browser launches Chromium and shows its screenshot as an echo', async () => {
    await run(['init', 'Pages', '-t', 'browser']);
    const input = JSON.stringify({ url: 'data:text/html,<title>Harbour</title>' });
    const env = { CHROME_PATH: needed('TRAWL_TEST_CHROMIUM') };
    const { stdout, stderr } = await trawl(['start', '-i', '-'], { cwd: join(home, 'Pages'), env, input });
    expect([stdout, stderr]).toEqual(['{\n  "title": "Harbour"\n}\n', expect.stringMatching(/\[image, \d+ KB\]/)]);
  });

  if (isFullTest)
    it('of an older skript in `nodejs` gets a browser and version 2 of a built-in library', async () => {
      skriptFolder('Older', {
        'main.js': `const { HttpClientPptr } = require('@mikosoft/httpclient-pptr');
        module.exports = async () => typeof new HttpClientPptr({}).defineExecutablePath;`,
        'package.json': '{ "dependencies": { "@mikosoft/httpclient-pptr": "^2.0.0" } }',
      });
      const env = { CHROME_PATH: needed('TRAWL_TEST_CHROMIUM') };
      const older = await trawl(['start'], { cwd: join(home, 'Older'), env });
      expect([older.stdout, older.stderr]).toEqual(['"function"\n', expect.stringMatching(NEEDS_BROWSER)]);
      const bundled = json(await run(['bundle', '--json'], { folder: 'Older' }));
      const sent = json(await run(['upload', '--json'], { folder: 'Older' }));
      expect(sent.warnings).toEqual(bundled.warnings);
      expect(bundled.warnings).toEqual([expect.stringMatching(NEEDS_BROWSER)]);
      const again = await trawl(['start', '--bundle'], { cwd: join(home, 'Older'), env });
      expect([again.stdout, again.stderr]).toEqual(['"function"\n', '']);
    });

  it.each(isFullTest ? WATCHES : WATCHES.slice(testSeed % WATCHES.length).slice(0, 1))(
    'and a run on the platform start again when a file is saved: trawl %s',
    async command => {
      const title = `Saved by ${command}`;
      // The skript writes a file in the folder of the run, which is not that of the skript.
      const main = (n: number) => `module.exports = async () => {
      require('fs').writeFileSync(__dirname + '/seen.txt', String(Date.now()));
      return 'version ' + ${n};
    };`;
      skriptFolder(title, { 'main.js': main(1) });
      const terminal = new Terminal(command.split(' '), { cwd: join(home, title), env: withKey });
      await terminal.shows('version 1');
      await terminal.shows('Waiting for the next change');
      writeFileSync(join(home, title, 'main.js'), main(2));
      await terminal.shows('version 2');
      expect(terminal.screen.match(/Changed: .*/g)).toEqual([expect.stringMatching(/main\.js/)]);
      terminal.type('\x03');
      expect(await terminal.ended).toBe(0);
    },
  );
});

describe('`trawl upload`', () => {
  it('sends only changed files and fields, and no private files such as .npmrc and .env.local', async () => {
    skriptFolder('Sent', {
      'main.js': 'module.exports = async () => 1;',
      'lib/a.js': 'module.exports = 1;',
      'input.json': '{ "n": 1 }',
      'inputSecret.json': '{ "pin": 1 }',
      'node_modules/x/index.js': '',
      '.git/config': '',
      '.env.local': 'KEY=1',
      '.npmrc': 'token',
      'dex8auth.json': '{}',
      'dist/mainBundle.js': '',
    });
    writeFileSync(join(home, 'Sent', 'cover.png'), Buffer.from([0x89, 0x50, 0, 1]));
    const inside = { folder: 'Sent' };
    const first = json(await run(['upload', '--json'], inside));
    expect(first.created).toBe(true);
    expect(first.skipped.sort()).toEqual(
      ['.env.local', '.git/', '.npmrc', 'dex8auth.json', 'dist/', 'node_modules/'].sort(),
    );
    expect(await filesOf('Sent')).toEqual(['cover.png', 'lib/a.js', 'main.js']);

    writeFileSync(join(home, 'Sent', 'lib/a.js'), 'module.exports = 2;');
    writeFileSync(join(home, 'Sent', 'input.json'), '{"n":1}'); // the same value
    writeFileSync(join(home, 'Sent', 'manifest.json'), '{ "title": "Sent", "retries": 2, "version": 1 }');
    const planned = json(await run(['upload', '--json', '--dry-run'], inside));
    const second = json(await run(['upload', '--json'], inside));
    expect(planned.changes).toEqual(['would change manifest.json (retries)', 'would change lib/a.js']);
    expect(second.changes).toEqual(['changed  manifest.json (retries)', 'changed  lib/a.js']);
    expect([second.ignored_fields, (await skriptOf('Sent')).retries]).toEqual([['version'], 2]);
    expect(json(await run(['upload', '--json', '--secrets'], inside)).changes).toEqual(['sent     inputSecret.json']);
  });

  if (isFullTest)
    it('uploads the folder of an older skript unchanged, without its token, and the skript runs', async () => {
      const manifest = { description: '', category: 'general', environment: 'nodejs', worker_response_timeout: 5000 };
      skriptFolder('Older shop', {
        'manifest.json': JSON.stringify({ title: 'Older shop', ...manifest, thumbnail: '' }),
        'package.json': JSON.stringify({
          name: 'older-shop',
          dependencies: { '@mikosoft/echo': '^1.2.0', '@mikosoft/functionflow': '^1.3.1' },
        }),
        'main.js': `const Echo = require('@mikosoft/echo');
        const FunctionFlow = require('@mikosoft/functionflow');
        const readRows = require('./readRows.js');

        const addPrice = ({ read, sum }, { echo, rows }) => {
          echo.log('read', rows[read]);
          return { read: read + 1, sum: sum + Number(rows[read].price) };
        };

        module.exports = async (input, inputSecret) => {
          const { eventEmitter } = global.dex8;
          const echo = new Echo(true, 1, eventEmitter);
          const ff = new FunctionFlow({ debug: false, msDelay: 0 }, eventEmitter);
          ff.xInject({ read: 0, sum: input.start });
          ff.libInject({ echo, rows: readRows() });
          await ff.serial([addPrice]);
          await ff.repeat(1);
          return { ...ff.x, pin: inputSecret.pin + 1 };
        };`,
        'readRows.js': `const { readFileSync } = require('fs');
        module.exports = () => readFileSync(__dirname + '/prices.csv', 'utf8').trim().split('\\n').map(line => {
          const [sku, price] = line.split(',');
          return { sku, price };
        });`,
        'prices.csv': 'A,3\nB,4\n',
        'input.json': '{ "start": 10 }',
        'inputSecret.json': '{ "pin": 1234 }',
        'dex8auth.json': '{ "token": "older-token" }',
      });
      const inside = { folder: 'Older shop' };
      const uploaded = await run(['upload'], inside);
      expect([uploaded.stdout, uploaded.stderr]).toEqual([
        'Created Older shop\n',
        expect.stringContaining('Not uploaded: dex8auth.json\n'),
      ]);
      expect((await filesOf('Older shop')).sort()).toEqual(['main.js', 'package.json', 'prices.csv', 'readRows.js']);
      expect(await skriptOf('Older shop')).toMatchObject(manifest);

      const ended = await run(['run'], inside);
      expect(JSON.parse(ended.stdout)).toEqual({ read: 2, sum: 17, pin: 1235 });
      const echoes = (await run(['logs'], inside)).stdout.trimEnd().split('\n');
      expect(echoes.map(line => line.slice('10:30:00+01:00 '.length))).toEqual([
        'read {"sku":"A","price":"3"}',
        'read {"sku":"B","price":"4"}',
      ]);
    });

  it('deletes files on the platform that the folder lacks only with --delete', async () => {
    skriptFolder('Kept', { 'main.js': 'module.exports = async () => 1;', 'old.js': '', 'inputOld.json': '1' });
    const inside = { folder: 'Kept' };
    await run(['upload'], inside);
    for (const name of ['old.js', 'inputOld.json']) rmSync(join(home, 'Kept', name));
    const kept = json(await run(['upload', '--json'], inside));
    expect([kept.changes, kept.only_on_platform]).toEqual([[], ['old.js', 'inputOld.json']]);
    expect(await filesOf('Kept')).toEqual(['main.js', 'old.js']);
    const deleted = json(await run(['upload', '--json', '--delete'], inside));
    expect(deleted.changes).toEqual(['deleted  old.js', 'deleted  inputOld.json']);
    expect(await filesOf('Kept')).toEqual(['main.js']);
  });

  it('uploads a skript that cannot be bundled, says why, and ends with exit code 1', async () => {
    skriptFolder('Unfinished', { 'main.ts': 'export default (' });
    const { stdout, stderr } = await run(['upload', '-s', 'Unfinished', '--json'], { code: 1 });
    expect(json({ stdout } as TrawlEnd).skript.title).toBe('Unfinished');
    const why = 'Uploaded Unfinished, but Trawl cannot bundle it: main.ts:1:17: Unexpected end of file';
    const error = JSON.parse(stderr.slice(stderr.indexOf('{')));
    expect(error).toEqual({ error_message: expect.stringContaining(why), exit_code: 1 });
    expect(await filesOf('Unfinished')).toEqual(['main.ts']);
  });

  if (isFullTest)
    it('finds one folder by title, or all with -a; `trawl update` sends only the manifest', async () => {
      for (const title of ['One of two', 'Two of two'])
        skriptFolder(title, { 'main.js': 'module.exports = async () => 1;' });
      expect(
        json(await run(['upload', '-a', '--json']))
          .map((result: any) => result.skript.title)
          .sort(),
      ).toEqual(['One of two', 'Two of two']);
      expect((await run(['upload', '-s', 'Two of two'])).stdout).toBe('Nothing changed in Two of two\n');
      await run(['upload', '-s', 'Three'], { code: 4 });
      skriptFolder('Three', { 'main.js': '', 'inputSecret.json': '{' });
      skriptFolder('One of two', { 'main.js': 'module.exports = async () => 2;' });
      const refused = await run(['upload', '-a', '--json'], { code: 2 });
      expect([refused.stdout, JSON.parse(refused.stderr).exit_code]).toEqual(['', 2]);
      expect(json(await run(['upload', '-s', 'One of two', '--json'])).changes).toEqual(['changed  main.js']);
      skriptFolder('Three', { 'main.js': '(', 'inputSecret.json': '1' });
      await run(['upload', '-s', 'Three'], { code: 1 });
      skriptFolder('Three', { 'manifest.json': '{ "title": "Three", "retries": 99 }' });
      skriptFolder('One of two', { 'main.js': 'module.exports = async () => 1;' });
      const partly = json(await run(['upload', '-a', '--json'], { code: 2 }));
      expect(partly.map((result: any) => result.skript.title)).toEqual(['One of two']);
      skriptFolder('One of two', { 'manifest.json': '{ "title": "One of two", "category": "news" }', 'more.js': '' });
      expect(json(await run(['update', '--json'], { folder: 'One of two' })).changed).toEqual(['category']);
      expect(await filesOf('One of two')).toEqual(['main.js']);
      await run(['upload'], { code: 4 });
    });
});

describe('`trawl download`', () => {
  it('restores missing files, and replaces local changes only with --force, after a backup', async () => {
    await platform.skript('Fetched', {
      'main.js': 'module.exports = async () => 1;',
      'lib/a.js': 'module.exports = 1;',
    });
    await run(['download', 'Fetched']);
    const path = join(home, 'Fetched', 'main.js');
    expect(readFileSync(path, 'utf8')).toBe('module.exports = async () => 1;');
    writeFileSync(path, 'mine');
    writeFileSync(join(home, 'Fetched', 'own.js'), 'own');
    rmSync(join(home, 'Fetched', 'lib'), { recursive: true });
    expect((await run(['d'], { folder: 'Fetched' })).stderr).toContain('Changed only here, kept: main.js');
    expect([readFileSync(path, 'utf8'), existsSync(join(home, 'Fetched', 'lib'))]).toEqual(['mine', true]);

    const { backup } = json(await run(['d', '--force', '--json'], { folder: 'Fetched' }));
    expect(readFileSync(join(home, 'Fetched', backup, 'main.js'), 'utf8')).toBe('mine');
    expect(readFileSync(path, 'utf8')).toBe('module.exports = async () => 1;');
    expect(readdirSync(join(home, 'Fetched')).sort()).toEqual(['.trawl', 'lib', 'main.js', 'manifest.json', 'own.js']);
    expect(json(await run(['upload', '--dry-run', '--json'], { folder: 'Fetched' })).changes).toEqual([
      'would add    own.js',
    ]);
  });
});

describe('a change of a skript on the platform', () => {
  const changeThere = async (title: string, name: string, content: string) => {
    const { files } = await skriptOf(title);
    const { id } = files.find((file: any) => file.name === name);
    expect((await developer('PUT', `/joint-api/skript-files/${id}`, { content })).status).toBe(200);
  };
  const there = async (title: string, name: string) => {
    const { files } = await skriptOf(title);
    const { id } = files.find((file: any) => file.name === name);
    return (await developer('GET', `/joint-api/skript-files/${id}`)).body.content;
  };

  it('makes `trawl upload` fail and send nothing; `trawl download` keeps both versions', async () => {
    skriptFolder('Shared', { 'main.js': '//1', 'lib.js': '//1', 'own.js': '//1', 'input.json': '1' });
    const inside = { folder: 'Shared' };
    const here = (name: string) => readFileSync(join(home, 'Shared', name), 'utf8');
    await run(['upload'], inside);
    await changeThere('Shared', 'main.js', '//there');
    await changeThere('Shared', 'lib.js', '//there');
    const { id } = await skriptOf('Shared');
    await developer('PUT', `/joint-api/skripts/${id}`, { retries: 3 });
    const inputs = (await developer('GET', `/joint-api/inputs/list?skript_id=${id}`)).body.items;
    await developer('PUT', `/joint-api/inputs/${inputs[0].id}`, { val: { b: 1, a: 2 } });
    skriptFolder('Shared', {
      'main.js': '//here',
      'own.js': '//here',
      'input.json': '2',
      'manifest.json': '{ "title": "Shared", "retries": 1 }',
    });
    for (const args of [['upload'], ['upload', '--dry-run']]) {
      expect((await run(args, { ...inside, code: 5 })).stderr).toBe(
        [
          'Changed on the platform since your last upload, so nothing was sent:',
          '  manifest.json: retries',
          '  lib.js',
          '  main.js',
          '  input.json',
          '`trawl download` keeps both, `trawl upload --force` overwrites the platform’s.\n',
        ].join('\n'),
      );
    }
    await run(['update'], { ...inside, code: 5 });
    expect([await there('Shared', 'main.js'), await there('Shared', 'own.js')]).toEqual(['//there', '//1']);

    const both = await run(['download', '--json'], { ...inside, code: 5 });
    expect(json(both)).toMatchObject({
      changed: ['lib.js'],
      kept: ['own.js'],
      conflicts: ['main.js', 'input.json', 'manifest.json'],
    });
    expect(['main.js', '.trawl/platform/main.js', 'lib.js', 'own.js'].map(here)).toEqual([
      '//here',
      '//there',
      '//there',
      '//here',
    ]);
    const again = await run(['download', '--json'], { ...inside, code: 5 });
    expect(json(again).conflicts).toEqual(json(both).conflicts);
    expect(here('.trawl/platform/main.js')).toBe('//there');
    const sent = json(await run(['upload', '--json'], inside));
    expect(existsSync(join(home, 'Shared', '.trawl/platform'))).toBe(false);
    expect(sent.changes).toEqual([
      'changed  manifest.json (retries)',
      'changed  main.js',
      'changed  own.js',
      'changed  input.json',
    ]);
    expect(sent.skipped).toEqual(['.trawl/']);
    expect(await there('Shared', 'main.js')).toBe('//here');
    await changeThere('Shared', 'main.js', '//there again');
    await run(['download'], inside);
    expect(here('main.js')).toBe('//there again');
  });

  if (isFullTest)
    it('is overwritten with --force, but neither with --delete nor by a folder that was never uploaded', async () => {
      await platform.skript('Known', { 'main.js': '//there', 'same.js': '//same' });
      skriptFolder('Known', { 'main.js': '//here', 'same.js': '//same' });
      const inside = { folder: 'Known' };
      const refused = await run(['upload'], { ...inside, code: 5 });
      expect(refused.stderr).toMatch(/^Different on the platform, and this folder was never .*\n {2}main\.js\n/);
      await run(['upload', '--force'], inside);
      expect(await there('Known', 'main.js')).toBe('//here');
      const { id } = await skriptOf('Known');
      await developer('POST', '/joint-api/skript-files/addnew', { skript_id: id, name: 'new.js', content: '' });
      rmSync(join(home, 'Known', 'same.js'));
      expect((await run(['upload', '--delete'], { ...inside, code: 5 })).stderr).toContain(':\n  new.js\n`');
      expect((await filesOf('Known')).sort()).toEqual(['main.js', 'new.js', 'same.js']);
      await run(['download'], inside);
      rmSync(join(home, 'Known', 'same.js'));
      await run(['upload', '--delete'], inside);
      expect((await filesOf('Known')).sort()).toEqual(['main.js', 'new.js']);
    });
});

describe('runs and rows of the platform, on the command line:', () => {
  it('a failed run makes the command exit with code 1 and print the skript’s own stack', async () => {
    await platform.skript('Throws', { 'main.js': "module.exports = async () => { throw new Error('no price'); };" });
    const { stdout, stderr } = await run(['call', 'Throws'], { code: 1 });
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('Error: no price\n    at ')]);
    expect(json(await run(['run', 'Throws', '--json'], { code: 1 }))).toMatchObject({ error_code: 'exception' });
  });

  it('a run gets the stored input and secret, or the input from a file', async () => {
    const main = 'module.exports = async (input, secret) => [input ?? null, secret ?? null];';
    await platform.skript('Values', { 'main.js': main });
    const id = (await skriptOf('Values')).id;
    await developer('POST', '/joint-api/inputs/addnew', { skript_id: id, name: 'inputOnly.json', val: 'stored' });
    await run(['secrets', 'set', 'inputSecret.json', '-s', 'Values'], { input: '"s3cret!"' });
    expect(json(await run(['call', 'Values', '--json']))).toEqual(['stored', '[secret]']);
    writeFileSync(join(home, 'in.json'), '0');
    const named = await run(['call', 'Values', '-i', 'in.json', '--json']);
    expect([json(named), named.stderr]).toEqual([[0, null], expect.stringContaining('gets no input secret')]);
    expect(json(await run(['secrets', 'list', '-s', 'Values', '--json']))).toMatchObject([
      { name: 'inputSecret.json' },
    ]);
    await run(['secrets', 'rm', 'inputSecret.json', '-s', 'Values', '-y']);
    await run(['secrets', 'rm', 'inputSecret.json', '-s', 'Values', '-y'], { code: 4 });
    expect(
      (await run(['secrets', 'set', 'inputSecret.json', '-s', 'Values'], { input: 'p4ss', code: 2 })).stderr,
    ).not.toContain('p4ss');
  });

  it('a run gets answers to its questions from the terminal, from `trawl answer`, and from options', async () => {
    await platform.skript('Asks there', { 'main.js': ASKS });
    const followed = new Terminal(['run', 'Asks there'], { cwd: home, env: withKey });
    await followed.shows('to navigate');
    followed.type('\r');
    await followed.shows('got first');
    expect(await followed.ended).toBe(0);

    const { id } = json(await run(['run', 'Asks there', '--detach', '--json']));
    const isAsked = async () => (await platform.echoes(id)).some(echo => echo.type === 'question');
    await until(isAsked, 'the question');
    const unanswered = await run(['answer', id], { code: 2 });
    expect(unanswered.stderr).toContain(`Answer with: trawl answer ${id} --seq 1 --text <answer>`);
    await run(['answer', id, '--seq', '2', '--text', 'last'], { code: 4 });
    await run(['answer', id, '--text', 'none'], { code: 2 });
    const terminal = new Terminal(['answer', 'Asks there'], { cwd: home, env: withKey });
    await terminal.shows('to navigate');
    expect(json(await run(['answer', id, '--seq', '1', '--text', 'last', '--json']))).toEqual({
      seq: 1,
      delivered: true,
    });
    expect((await run(['logs', id, '-f'])).stdout).toContain('got last');
    terminal.type('\r');
    expect([await terminal.ended, terminal.screen]).toEqual([4, expect.stringContaining('The run is over')]);
    await run(['answer', id], { code: 4 });
  });

  it('`trawl rows` prints the rows of a run, or documents of a collection, as JSON lines or CSV', async () => {
    const main = `const { dataset, mongo } = require('@trawl/storage');
    module.exports = async () => {
      await mongo.collection('printed').insertMany([{ _id: 1, title: 'Emma\\x1b[2J' }, { _id: 2, price: 3 }]);
      dataset.push([{ n: 1 }, { n: 2 }]);
      return trawl.execution_id;
    };`;
    await platform.skript('Prints', { 'main.js': main });
    const id = (await run(['call', 'Prints'])).stdout.trim();
    const pushed = (await run(['rows', id])).stdout.trimEnd().split('\n');
    expect(pushed.map(row => JSON.parse(row))).toMatchObject([1, 2].map(n => ({ n, _run: id })));
    expect((await run(['rows', id, '--csv', '--limit', '1'])).stdout).toMatch(/^_id,_run,_at,n\n.*,1\n$/);
    await run(['rows', id, '--filter', '{}'], { code: 2 });
    expect((await run(['rows', 'printed', '--filter', '{ "price": null }'])).stdout).toBe(
      '{"_id":1,"title":"Emma\\u001b[2J"}\n',
    );
    expect((await run(['rows', 'printed', '--csv', '--limit', '1'])).stdout).toBe('_id,price\n2,3\n');
    const refused = await run(['rows', 'printed', '--filter', '{ "$where": "true" }'], { code: 2 });
    expect(refused.stderr).toContain('$where');
    await run(['rows', 'printed', '--database', 'no such database'], { code: 4 });
    for (const command of ['rows', 'rows --csv', 'export']) {
      const { stdout, stderr } = await run([...command.split(' '), 'no such'], { code: 4 });
      expect([stdout, stderr]).toEqual(['', expect.stringContaining('no such')]);
    }
  });

  it('`trawl export` writes rows to files, and `trawl import` reads such files', async () => {
    const main = `const { dataset } = require('@trawl/storage');
    module.exports = async () => {
      await dataset.push([{ n: 1, at: { city: 'Zagreb' } }, { n: 2 }]);
      return trawl.execution_id;
    };`;
    await platform.skript('Exports', { 'main.js': main });
    const id = (await run(['call', 'Exports'])).stdout.trim();
    expect((await run(['export', id, '--fields', 'n,at.city'])).stdout).toBe('n,at.city\n1,Zagreb\n2,\n');
    expect((await run(['export', id, '--fields', 'n', '--filter', '{"n":2}'])).stdout).toBe('n\n2\n');
    const exported = await run(['export', id, '-o', 'cities.ndjson', '--fields', 'n,at', '--json']);
    const bytes = statSync(join(home, 'cities.ndjson')).size;
    expect(JSON.parse(exported.stdout)).toEqual({ file: 'cities.ndjson', bytes, format: 'ndjson' });
    await run(['export', id, '-o', 'cities.ndjson'], { code: 5 });
    await run(['export', id, '--json'], { code: 2 });
    await run(['export', 'cities', '--database', 'no such database'], { code: 4 });

    const imported = await run(['import', 'cities.ndjson', 'cities', '--json']);
    expect(JSON.parse(imported.stdout)).toMatchObject({ collection: 'cities', inserted: 2, updated: 0, bad_rows: 0 });
    expect((await run(['export', 'cities', '--fields', 'n,at', '--no-flatten'])).stdout).toBe(
      'n,at\n1,"{""city"":""Zagreb""}"\n2,\n',
    );
    writeFileSync(join(home, 'bad.csv'), 'n,city\n3,Split\n4,Pula,x\n');
    const failed = await run(['import', 'bad.csv', 'towns'], { code: 1 });
    expect(failed.stderr).toContain('The row has 3 cells; the file has 2 columns.');
    const skipped = await run(['import', 'bad.csv', 'towns', '--skip-bad-rows', '--bad-rows', 'left.csv']);
    expect(skipped.stdout).toBe('towns: 1 added, 0 updated, 1 bad\n');
    expect(readFileSync(join(home, 'left.csv'), 'utf8')).toMatch(/^row,reason,n,city\n2,The row has 3 cells/);
    await run(['import', 'none.csv', 'towns'], { code: 2 });
    await run(['import', 'bad.csv', 'towns', '--key', 'isbn'], { code: 2 });

    const [shown, ...others] = ['packages/cli/README.md', 'website/docs/libs/trawl-cli.mdx'].map(
      page => /## Export and import.*?```bash\n(.*?)```/s.exec(readFileSync(page, 'utf8'))?.[1],
    );
    expect(others).toEqual([shown]);
    writeFileSync(join(home, 'books.csv'), 'isbn,title,price\n0415,Emma,12.5\n');
    for (const command of String(shown).trim().split('\n')) await run(command.split(' ').slice(1));
    expect(readFileSync(join(home, 'prices.xlsx')).subarray(0, 2).toString()).toBe('PK');

    const create = JSON.stringify({ sql: 'CREATE TABLE towns AS SELECT 5 AS n', read_only: false });
    await run(['api', 'POST', '/joint-api/postgres/query', '--data', create]);
    expect((await run(['export', 'towns', '--table'])).stdout).toBe('n\n5\n');
    const stored = await run(['import', 'cities.ndjson', 'places', '--table', '--schema', 'public', '--json']);
    expect(JSON.parse(stored.stdout)).toMatchObject({ table: 'places', inserted: 2, updated: 0, bad_rows: 0 });
    expect((await run(['export', 'places', '--table', '--fields', 'n'])).stdout).toBe('n\n1\n2\n');
    await run(['import', 'cities.ndjson', 'places', '--table', '--database', 'main'], { code: 2 });
    await run(['import', 'cities.ndjson', 'places', '--schema', 'public'], { code: 2 });
  });

  it('`trawl import` reads a CSV file as the options --encoding and --skip-lines say', async () => {
    // `č` in windows-1250 is `è` in windows-1252. Two rows are too few to detect the lines above the header.
    const lines = [Buffer.from('Popis\nGradovi\nime,n\n'), Buffer.from([0xe8, 0x61]), Buffer.from(',1\n')];
    writeFileSync(join(home, 'latin.csv'), Buffer.concat(lines));
    await run(['import', 'latin.csv', 'latin', '--encoding', 'windows-1250', '--skip-lines', '2']);
    expect((await run(['export', 'latin', '--fields', 'ime,n'])).stdout).toBe('ime,n\nča,1\n');
    const wrong = await run(['import', 'latin.csv', 'latin', '--skip-lines', 'two'], { code: 2 });
    expect(wrong.stderr).toContain('--skip-lines must be a whole number; you gave two.');
    const unknown = await run(['import', 'latin.csv', 'latin', '--encoding', 'latin-9'], { code: 2 });
    expect(unknown.stderr).toContain('encoding must be');
  });

  it('`trawl import` reads the sheet that --sheet names, or else the first, and lists the others', async () => {
    writeFileSync(join(home, 'book.xlsx'), await workbook({ Orders: 'n', Customers: 'name' }));
    const first = await run(['import', 'book.xlsx', 'orders']);
    expect(first.stderr).toContain(
      'Trawl imports the sheet "Orders". To import another one, add --sheet with "Customers".',
    );
    const named = await run(['import', 'book.xlsx', 'customers', '--sheet', 'Customers']);
    expect(named.stderr).not.toContain('--sheet');
    expect((await run(['export', 'customers', '--fields', 'name'])).stdout).toBe('name\nx\n');
    const unknown = await run(['import', 'book.xlsx', 'persons', '--sheet', 'Persons'], { code: 2 });
    expect(unknown.stderr).toContain('must be a sheet of the workbook, which has "Orders", "Customers"');
  });

  it('`trawl logs -f` follows a run, and `trawl stop` or Ctrl-C stops it', async () => {
    const main = `module.exports = async () => {
      for (let n = 1; n <= 40; n++) {
        console.log('echo ' + n + '\\x1b[2J');
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      await new Promise(resolve => {
        const timer = setInterval(() => {}, 1000);
        trawl.eventEmitter.on('ff-stop', () => { clearInterval(timer); resolve(); });
      });
    };`;
    await platform.skript('Talks', { 'main.js': main });
    const { id } = json(await run(['run', 'Talks', '--detach', '--json']));
    const following = run(['logs', id, '-f'], { code: 1 });
    await until(async () => (await platform.echoes(id)).length === 40, 'all echoes');
    await run(['stop', id]);
    const lines = (await following).stdout.trimEnd().split('\n');
    expect(lines.map(line => line.slice('10:30:00+01:00 '.length))).toEqual(
      Array.from({ length: 40 }, (_, n) => `echo ${n + 1}`),
    );
    await run(['stop', id], { code: 4 });
    await run(['stop', 'No such skript'], { code: 4 });

    const terminal = new Terminal(['run', 'Talks'], { cwd: home, env: withKey });
    await terminal.shows('echo 1');
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    expect(json(await run(['executions', 'Talks', '--json']))[0]).toMatchObject({ action: 'stop' });

    const live = (await run(['run', 'Talks', '--detach'])).stdout.trim();
    expect((await run(['run', 'Talks'], { code: 5 })).stderr).toContain('or start with --force.');
    expect((await run(['stop', 'Talks', '--dry-run'])).stdout).toBe(`Would stop ${live}\n`);
    expect((await run(['stop', 'Talks'])).stdout).toBe(`Stopped ${live}\n`);
    await run(['stop', 'Talks', '--dry-run'], { code: 4 });
  });
});

it('`trawl init` and `trawl login` fail with exit code 2 where there is no terminal to ask at', async () => {
  for (const args of [['init'], ['login', '--url', platform.url]]) {
    expect((await trawl(args, { cwd: home, env: { XDG_CONFIG_HOME: home } })).code).toBe(2);
  }
});

it('at a terminal, `trawl open` opens the panel in a browser, at the skript of the folder if it has one', async () => {
  await platform.skript('Opened', { 'main.js': 'module.exports = async () => 1;' });
  const panel = `${platform.url}/panel/developer`;
  expect((await run(['open'])).stdout).toBe(`${panel}/dashboard\n`);
  expect(json(await run(['open', 'Opened', '--json']))).toEqual({
    url: `${panel}/skripts/${(await skriptOf('Opened')).id}`,
  });
  await run(['open', 'No such skript'], { code: 4 });

  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  writeFileSync(join(home, opener), '#!/bin/sh\necho "$@" > "$(dirname "$0")/opened"\n', { mode: 0o755 });
  skriptFolder('Opened', {});
  const PATH = `${home}:${process.env.PATH}`;
  const terminal = new Terminal(['open'], { cwd: join(home, 'Opened'), env: { ...withKey, PATH } });
  expect(await terminal.ended).toBe(0);
  const opened = () => (existsSync(join(home, 'opened')) ? readFileSync(join(home, 'opened'), 'utf8') : '');
  await until(async () => opened() === `${panel}/skripts/${(await skriptOf('Opened')).id}\n`, 'the browser');
});

it('`trawl schedules` adds, pauses, resumes, runs and deletes a schedule', async () => {
  skriptFolder('Leap', { 'main.js': 'module.exports = input => input.shelf;', 'input.json': '{ "shelf": "sea" }' });
  const inside = { folder: 'Leap' };
  await run(['upload'], inside);
  await run(['schedules', 'add', 'every hour'], { ...inside, code: 2 });
  const added = json(await run(['schedules', 'add', '0 0 29 2 *', '--time-zone', 'Asia/Tokyo', '--json'], inside));
  expect(added).toMatchObject({ name: 'Leap', cron_span: '0 0 29 2 *', time_zone: 'Asia/Tokyo', worker_id: 'any' });
  await run(['schedules', 'add', '0 0 29 2 *'], { ...inside, code: 5 });
  const listed = async () => json(await run(['schedules', 'Leap', '--json']));

  expect((await run(['schedules', 'pause', 'Leap'])).stdout).toBe('Paused Leap\n');
  expect(await listed()).toMatchObject([{ id: added.id, enabled: false, next_fire_at: null }]);
  const { execution } = json(await run(['schedules', 'run', 'Leap', '--json']));
  expect(await platform.ended(execution.id)).toMatchObject({ output: 'sea' });
  expect((await run(['schedules', 'resume', added.id])).stdout).toContain('Resumed Leap. Next run: ');
  expect(await listed()).toMatchObject([{ enabled: true, counter: 1 }]);

  await run(['schedules', 'rm', 'Leap'], { code: 2 }); // it cannot ask
  await run(['schedules', 'rm', 'No such schedule', '--yes'], { code: 4 });
  expect((await run(['schedules', 'rm', 'Leap', '--yes'])).stdout).toBe('Deleted Leap\n');
  expect(await listed()).toEqual([]);
});

it('commands with --dry-run print what they would do, and change nothing', async () => {
  skriptFolder('Planned', { 'main.js': 'module.exports = async () => 1;', 'input.json': '1' });
  writeFileSync(join(home, 'rows.csv'), 'n\n1\n');
  const planned = async (command: string, input = '') =>
    (await run([...command.split(' '), '--dry-run'], { folder: 'Planned', input })).stdout;
  expect(await planned('upload')).toBe('Would create Planned\n');
  expect(await skriptOf('Planned')).toBeUndefined();
  await run(['upload'], { folder: 'Planned' });
  skriptFolder('Planned', { 'manifest.json': '{ "title": "Planned", "retries": 2 }', 'main.js': '//2' });
  await run(['schedules', 'add', '0 6 * * *'], { folder: 'Planned' });
  for (const [command, says] of [
    ['upload', 'Would upload Planned'],
    ['update', 'Would update retries of Planned'],
    ['download', /^Would download Planned to /],
    ['delete Planned', /^Would delete \/.* with 4 files and folders\n$/],
    ['delete Planned -r', /^Would delete Planned on the platform, with its files/],
    ['run', 'Would run Planned on the least loaded worker, with input.json'],
    ['call Planned -i ../rows.csv', null],
    ['schedules add @hourly', null],
    ['schedules pause Planned', 'Would pause Planned'],
    ['schedules run Planned', 'Would start a run of Planned'],
    ['schedules rm Planned', 'Would delete the schedule Planned'],
    ['secrets set inputSecret.json', 'Would store inputSecret.json on the platform'],
    ['import ../rows.csv planned', 'Would import ../rows.csv into planned'],
    ['api POST /joint-api/skripts/purge', `Would send POST ${platform.url}/joint-api/skripts/purge`],
  ] as const) {
    if (says === null) await run([...command.split(' '), '--dry-run'], { folder: 'Planned', code: 2 });
    else if (typeof says === 'string') expect(await planned(command)).toBe(`${says}\n`);
    else expect(await planned(command)).toMatch(says);
  }
  expect(await skriptOf('Planned')).toMatchObject({ retries: 0 });
  expect(json(await run(['schedules', 'Planned', '--json']))).toMatchObject([{ enabled: true, counter: 0 }]);
  expect(json(await run(['executions', 'Planned', '--json']))).toEqual([]);
  expect(existsSync(join(home, 'Planned', 'main.js'))).toBe(true);
  await run(['delete', 'Planned', '-r', '-y']);
});

it('`trawl api`, `trawl doctor` and `trawl schedules` print JSON, and `trawl api` refuses other hosts', async () => {
  expect(json(await run(['api', 'get', '/joint-api/account'])).username).toBe(
    platform.credential('developer').username,
  );
  const missing = await run(['api', 'GET', '/joint-api/skripts/019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071'], { code: 4 });
  expect(json(missing).error_code).toBe('not_found');
  const { stderr } = await run(['logs', 'No such skript', '--json'], { code: 4 });
  expect(JSON.parse(stderr)).toEqual({ error_message: 'You have no skript titled "No such skript".', exit_code: 4 });
  await run(['api', 'GET', 'https://evil.example/'], { code: 2 });
  const page = await run(['api', 'GET', '/nosuch'], { code: 4 });
  expect([page.stdout, page.stderr]).toEqual(['', expect.stringMatching(/^The API has no GET \/nosuch\. See /)]);
  expect(json(await run(['doctor', '--json'])).every((check: any) => check.ok)).toBe(true);
  expect(json(await run(['schedules', '--json']))).toEqual([]);
});
