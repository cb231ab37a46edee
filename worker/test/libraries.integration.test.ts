import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import Module from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Script } from 'node:vm';
import { hashOfLock, parseLock } from '@trawl/libraries';
import { type Published, RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { cacheFile } from '../src/runner/node/cached-library.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { publishedLock } from './published-lock.js';
import { WorkerProcess } from './worker-process.js';

const LIMITS = { TRAWL_LIBRARIES_MB: '2', TRAWL_LIBRARIES_FILES: '500' };
const platform = new PlatformStandIn();
const registry = new RegistryStandIn();
let worker: WorkerProcess;

beforeAll(async () => {
  await registry.open();
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  worker.start({ TRAWL_NPM_REGISTRY: registry.url, ...LIMITS });
  await platform.connected();
});

afterAll(async () => {
  await worker?.remove();
  await platform.close();
  await registry.close();
});

beforeEach(() => {
  registry.answer = () => false;
  registry.asked.length = 0;
  platform.states.length = 0;
});

const lockOf = (libraries: Record<string, Published>) => publishedLock(registry, platform, libraries);

const library = (code: string): Published => ({ files: { 'index.js': code } });
const uses = (name: string): string => `module.exports = async () => require('${name}');`;
const asked = (name: string): string[] => registry.asked.filter(path => path.startsWith(`/${name}/-/`));
const installed = (): string[] =>
  readdirSync(join(worker.data, 'worker', 'libraries')).filter(name => name.length === 64);
const inProgress = (): string[] => readdirSync(join(worker.data, 'worker', 'libraries-underway'));

test('the worker installs the libraries of a lock, echoes it in the run, and reuses them for the next run', async () => {
  const lock = await lockOf({ answer: library('module.exports = 42;') });
  const id = await platform.start(uses('answer'), { lock });
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '42' });
  const echoes = (await platform.echoes(id)).map(({ type, msg }) => [type, msg]);
  expect(echoes).toEqual([
    ['log', 'Installing 1 library (answer; 1 package with dependencies) …'],
    ['log', expect.stringMatching(/^… installed in \d+\.\d s\.$/)],
  ]);
  expect(platform.states.map(({ waiting_for }) => waiting_for)).toContain('libraries_installing');
  const again = await platform.start(uses('answer'), { lock });
  expect(await platform.ended(again)).toMatchObject({ action: 'end', output: '42' });
  expect(await platform.echoes(again)).toEqual([]);
  expect(asked('answer')).toHaveLength(1);
});

test('concurrent runs share one installation of their libraries', async () => {
  const lock = await lockOf({ shared: library('module.exports = "shared";') });
  const runs = await Promise.all([1, 2, 3].map(() => platform.run(uses('shared'), { lock })));
  expect(runs.map(({ output }) => output)).toEqual(['"shared"', '"shared"', '"shared"']);
  expect(asked('shared')).toHaveLength(1);
});

/** Names under which the worker provides libraries. */
const PROVIDED = ['@mikosoft/echo', 'functionflowx', '@trawl/echo'];
let manyLock: Promise<string> | undefined;
/** Returns the lock of the libraries that several tests use, because an installation takes a second. */
function lockOfMany(): Promise<string> {
  manyLock ??= lockOf({
    'only-esm': {
      files: { 'index.js': 'export const kind = "esm"; export default "default of esm";' },
      manifest: { type: 'module' },
    },
    'only-cjs': library('exports.kind = "cjs";'),
    cheerio: library('module.exports = "not the stock";'),
    throws: library('exports.it = () => { throw new Error("in the library"); };'),
    honest: library('module.exports = "honest";'),
    ...Object.fromEntries(PROVIDED.map(name => [name, library('module.exports = "a stranger";')])),
  });
  return manyLock;
}

test('a run loads installed CommonJS and ES modules with require and import, beside built-in libraries', async () => {
  const lock = await lockOfMany();
  const { output, error_stack } = await platform.run(
    `module.exports = async () => {
      const dynamic = await import('only-esm');
      return [require('only-esm').kind, dynamic.default, require('only-cjs').kind, (await import('only-cjs')).kind,
        require('cheerio'), typeof require('axios').get, typeof (await import('got')).default];
    };`,
    { lock },
  );
  expect(error_stack).toBeNull();
  expect(JSON.parse(output ?? '')).toEqual([
    'esm',
    'default of esm',
    'cjs',
    'cjs',
    'not the stock',
    'function',
    'function',
  ]);
});

test('a package in the lock cannot replace a library of Trawl itself', async () => {
  const lock = await lockOfMany();
  const { output } = await platform.run(
    `module.exports = async () => [${PROVIDED.map(name => `typeof require('${name}')`).join()}];`,
    { lock },
  );
  expect(JSON.parse(output ?? '')).toEqual(['function', 'function', 'object']);
});

test('the stack of an error in an installed library names the library, without a path of the machine', async () => {
  const lock = await lockOfMany();
  const { error_stack } = await platform.run("module.exports = async () => require('throws').it();", { lock });
  expect(error_stack).toMatch(/^Error: in the library\n {4}at .*throws\/index\.js:1:\d+\)?\n {4}at .*main\.js:1:\d+/);
  expect(error_stack).not.toContain(lock);
});

test.each([[null], ['lock']])('the stack of an error in a built-in library names it; lock: %s', async with_ => {
  const lock = with_ && (await lockOfMany());
  const { error_stack } = await platform.run(
    "module.exports = async () => require('csv-parse/sync').parse('a\"b');",
    lock === null ? {} : { lock },
  );
  expect(error_stack).toMatch(/\n {4}at .*csv-parse\/sync\.js:\d+:\d+\)?\n/);
  expect(error_stack).not.toContain('/trawl/');
});

test.each(['axios/index', 'cheerio/slim', 'puppeteer-core/library'])('library %s has a code cache V8 accepts', name => {
  const code = join(__dirname, '../dist/runtime/node_modules', `${name}.code.js`);
  const script = new Script(Module.wrap(readFileSync(code, 'utf8')), { cachedData: readFileSync(cacheFile(code)) });
  expect(script.cachedDataRejected).toBe(false);
});

test('a run cannot change libraries or list the locks', async () => {
  const lock = await lockOfMany();
  const tampers = `const fs = require('fs');
    module.exports = async () => {
      const done = [];
      const attempt = (name, what) => { try { what(); done.push(name); } catch {} };
      for (const root of ['${worker.data}/worker/libraries', '/trawl/libraries']) {
        const folder = root + '/${lock}/node_modules/honest';
        attempt('write', () => fs.writeFileSync(folder + '/index.js', 'module.exports = "evil"'));
        attempt('add', () => fs.writeFileSync(folder + '/more.js', ''));
        attempt('remove', () => fs.rmSync(folder, { recursive: true }));
        attempt('list', () => fs.readdirSync(root));
      }
      return done;
    };`;
  expect(await platform.run(tampers, { lock })).toMatchObject({ action: 'end', output: '[]' });
  expect(await platform.run(uses('honest'), { lock })).toMatchObject({ output: '"honest"' });
});

test('the worker skips install scripts of libraries, and the run echoes a warning', async () => {
  const scripts = { install: 'exit 1' };
  const lock = await lockOf({ scripted: { ...library('module.exports = 1;'), manifest: { scripts } } });
  const id = await platform.start(uses('scripted'), { lock });
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '1' });
  expect((await platform.echoes(id)).find(({ type }) => type === 'warn')?.msg).toMatch(
    /^scripted has an install script, which Trawl does not run/,
  );
});

test.each([24, 22])('with Node %i, a skript imports a library that has files only for import', async node => {
  const manifest = { type: 'module', exports: { import: './index.js' } };
  const lock = await lockOf({ 'only-import': { ...library("export default 'imported';"), manifest } });
  const files = {
    'main.js': "import value from 'only-import';\nexport default () => value;",
    'package.json': `{ "engines": { "node": "${node}" } }`,
  };
  expect(await platform.run(files, { lock })).toMatchObject({ error_stack: null, output: '"imported"' });
});

test('a run says what to use instead of a library whose binary an install script would make', async () => {
  const code = `module.exports = () => {
    const path = __dirname + '/build/better_sqlite3.node';
    throw new Error('Could not locate the bindings file. Tried:\\n \u2192 ' + path);
  };`;
  const manifest = { scripts: { install: 'exit 1' } };
  const lock = await lockOf({ 'better-sqlite3': { ...library(code), manifest } });
  const main = "module.exports = async () => require('better-sqlite3')();";
  const { error_code, error_stack } = await platform.run(main, { lock });
  expect([error_code, error_stack]).toEqual([
    'exception',
    expect.stringMatching(
      /^better-sqlite3 needs a binary .* Use node:sqlite of Node instead\.\nError: Could not locate the bindings file/,
    ),
  ]);
});

test('installing libraries does not count towards the time limit, and the run can be stopped during it', async () => {
  const lock = await lockOf({ slow: library('module.exports = "slow";') });
  const limitMs = 3_000;
  let goOn = (): void => {};
  const archiveAsked = new Promise<void>(resolve => {
    registry.answer = (request, response) => {
      if (!request.url?.endsWith('.tgz')) return false;
      registry.answer = () => false;
      const archive = new URL(request.url, registry.url);
      goOn = () => void fetch(archive).then(async answer => response.end(Buffer.from(await answer.arrayBuffer())));
      resolve();
      return true;
    };
  });
  const patient = await platform.start(uses('slow'), {
    lock,
    limits: { time_ms: limitMs, pause_ms: 3_600_000, output_bytes: 1_000 },
  });
  const stopped = await platform.start(uses('slow'), { lock });
  await archiveAsked;
  await platform.control({ id: stopped, cmd_seq: 1, cmd: 'stop' });
  expect(await platform.ended(stopped)).toMatchObject({ action: 'stop' });
  // Wait for a fixed time, because the test checks that nothing happens: the run must not end during the installation.
  await delay(limitMs);
  goOn();
  expect(await platform.ended(patient)).toMatchObject({ action: 'end', output: '"slow"' });
});

test('a run fails with the reason if a package does not match its lock', async () => {
  const lock = await lockOf({ changed: library('module.exports = 1;') });
  registry.publish('changed', library('module.exports = "evil";'));
  expect(await platform.run(uses('changed'), { lock })).toMatchObject({
    action: 'error',
    error_code: 'libraries_failed',
    error_stack: expect.stringContaining('(EINTEGRITY)'),
  });
  expect(installed()).not.toContain(lock);
  expect(inProgress()).toEqual([]);
});

test('a run fails if its lock is too large; the worker evicts the least recently used locks', async () => {
  const random = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, n) => (n * 7919) % 251));
  const huge = await lockOf({ huge: { files: { 'index.js': 'module.exports = 0;', 'data.bin': random(1_500_000) } } });
  expect(await platform.run(uses('huge'), { lock: huge })).toMatchObject({
    error_code: 'libraries_failed',
    error_stack: expect.stringContaining('TRAWL_LIBRARIES_MB'),
  });
  const locks: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    const lock = await lockOf({
      [name]: { files: { 'index.js': 'module.exports = 0;', 'data.bin': random(700_000) } },
    });
    expect(await platform.run(uses(name), { lock })).toMatchObject({ output: '0' });
    locks.push(lock);
  }
  expect(installed().sort()).toEqual(locks.slice(-2).sort());
  expect(inProgress()).toEqual([]);
});

test('many installations of one account do not delay the run of another account', async () => {
  const [attacker, neighbour] = [randomUUID(), randomUUID()];
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}.js`, '']));
  const own = await lockOf({ own: library('module.exports = "own";') });
  // The attacker's first installation does not end, and its others wait for it.
  registry.answer = request => request.url?.startsWith('/many-1/-/') === true;
  const attacks: string[] = [];
  for (const name of ['many-1', 'many-2', 'many-3']) {
    const lock = await lockOf({ [name]: { files } });
    attacks.push(await platform.start(uses(name), { lock, owner_id: attacker }));
  }
  const run = await platform.start(uses('own'), { lock: own, owner_id: neighbour });
  expect(await platform.ended(run)).toMatchObject({ action: 'end', output: '"own"' });
  const lastState = (id?: string) => platform.states.findLast(state => state.id === id);
  expect(lastState(attacks[1])).toMatchObject({ waiting_for: 'libraries_installing', queue: { place: 1, of: 2 } });
  expect(lastState(attacks[2])).toMatchObject({ waiting_for: 'libraries_installing', queue: { place: 2, of: 2 } });
  expect([...asked('many-2'), ...asked('many-3')]).toEqual([]);
  for (const id of attacks) await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  for (const id of attacks) await platform.ended(id);
});

test('a run fails if its libraries have too many files, and the error names the library and the setting', async () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${n}.js`, '']));
  const lock = await lockOf({ harmless: library('module.exports = 1;'), crowded: { files } });
  expect(await platform.run(uses('crowded'), { lock })).toMatchObject({
    action: 'error',
    error_code: 'libraries_failed',
    error_stack: expect.stringMatching(
      /more than 250 files and folders.*TRAWL_LIBRARIES_FILES.*crowded needs the most/,
    ),
  });
  expect([installed().includes(lock), inProgress()]).toEqual([false, []]);
});

test('a separate process with low priority and without the worker key installs libraries', async () => {
  const lock = await lockOf({ elsewhere: library('module.exports = 1;') });
  await platform.run(uses('elsewhere'), { lock });
  const children = readFileSync(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8').trim().split(' ');
  const installer = children.find(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('installer-process'));
  expect(installer).toBeDefined();
  // Its priority, `nice`, is field 19 of the file.
  expect(readFileSync(`/proc/${installer}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]).toBe('10');
  expect(readFileSync(`/proc/${installer}/environ`, 'utf8')).not.toContain('TRAWL_WORKER_KEY');
});

test('a restarted worker removes interrupted installations, and keeps installed locks', async () => {
  const kept = await lockOf({ kept: library('module.exports = "kept";') });
  await platform.run(uses('kept'), { lock: kept });
  const cut = await lockOf({ cut: library('module.exports = "cut";') });
  let reached = (): void => {};
  const reachedArchive = new Promise<void>(resolve => {
    reached = resolve;
  });
  registry.answer = request => {
    if (!request.url?.endsWith('.tgz')) return false;
    reached();
    return true;
  };
  await platform.start(uses('cut'), { lock: cut });
  await reachedArchive;
  await worker.end('SIGKILL');
  expect(inProgress()).toHaveLength(1);
  await writeFile(join(worker.data, 'worker', 'libraries-underway', 'more'), '');
  registry.answer = () => false;
  const before = platform.hellos.length;
  worker.start({ TRAWL_NPM_REGISTRY: registry.url, ...LIMITS });
  await platform.until(() => platform.hellos.length > before, 'the worker that was started again');
  expect(inProgress()).toEqual([]);
  registry.asked.length = 0;
  expect(await platform.run(uses('kept'), { lock: kept })).toMatchObject({ output: '"kept"' });
  expect(registry.asked).toEqual([]);
  expect(await platform.run(uses('cut'), { lock: cut })).toMatchObject({ output: '"cut"' });
  expect(statSync(join(worker.data, 'worker', 'libraries')).mode & 0o777).toBe(0o711);
});

test('a run fails if its lock has paths outside of node_modules', async () => {
  const text =
    '{"packages":{"":{"dependencies":{}},"node_modules/../../x":{"version":"1.0.0","integrity":"sha512-a="}}}';
  expect(() => parseLock(text)).toThrow();
  platform.locks.set(hashOfLock(text), text);
  expect(await platform.run('module.exports = async () => 1;', { lock: hashOfLock(text) })).toMatchObject({
    error_code: 'libraries_failed',
  });
});
