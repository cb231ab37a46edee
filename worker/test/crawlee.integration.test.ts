import { RegistryStandIn } from '@trawl/libraries/registry-stand-in';
import { Binary, serialize } from 'bson';
import { PlatformStandIn } from './platform-stand-in.js';
import { publishedLock } from './published-lock.js';
import { WorkerProcess } from './worker-process.js';

const platform = new PlatformStandIn();
const registry = new RegistryStandIn();
let worker: WorkerProcess;
let lock: string;

/** What of Crawlee the worker touches. The tests of the whole product run the real library. */
const CORE = `class Configuration {
  constructor() { this.storageManagers = new Map(); }
  get(key) { return undefined; }
  getStorageClient() { return null; }
}
module.exports = { Configuration };`;
const APIFY = `const { Configuration } = require('@crawlee/core');
class Actor {
  async getInput() { return (await new Configuration().getStorageClient().keyValueStore('default').getRecord('INPUT')).value; }
  async call() {}
  async exit(message, { exitCode = 0 } = {}) {
    await new Configuration().getStorageClient().setStatusMessage(message);
    process.exit(exitCode);
  }
  async fail(message) { await this.exit(message, { exitCode: 1 }); }
}
module.exports = { Actor };`;

beforeAll(async () => {
  await registry.open();
  await platform.open();
  // The default store of a run is empty.
  platform.answerStorage = () => ({ result: serialize({ docs: new Binary(Buffer.alloc(0)), cursor: null }) });
  worker = await WorkerProcess.create(platform.url);
  worker.start({ TRAWL_NPM_REGISTRY: registry.url });
  await platform.connected();
  lock = await publishedLock(registry, platform, {
    '@crawlee/core': { files: { 'index.js': CORE } },
    apify: { files: { 'dist/index.js': APIFY }, manifest: { main: 'dist/index.js' } },
    other: { files: { 'index.js': '' } },
  });
});
afterAll(async () => {
  await worker?.remove();
  await platform.close();
  await registry.close();
});

const INPUT = `new (require('@crawlee/core').Configuration)().getStorageClient().keyValueStore('default').getRecord('INPUT')`;

test('a program of Crawlee that exports nothing ends when it has nothing left to do', async () => {
  const id = await platform.start(`${INPUT}.then(({ value }) => console.log('pages', value.pages));`, {
    lock,
    input: '{"pages":3}',
  });
  expect(await platform.ended(id)).toMatchObject({ action: 'end', output: 'null', error_stack: null });
  expect((await platform.echoes(id)).map(({ msg }) => msg)).toContain('pages 3');
});

test('a program without Crawlee must export a function', async () => {
  expect(await platform.run("require('other');", { lock })).toMatchObject({ error_code: 'not_a_function' });
});

test('a program whose code throws an error fails with it', async () => {
  const { error_code, error_stack } = await platform.run(
    "require('@crawlee/core');\nsetImmediate(() => { throw new Error('no wind'); });",
    { lock },
  );
  expect([error_code, error_stack]).toEqual(['exception', expect.stringContaining('no wind')]);
});

test('each warm run of a program loads it again, and has its own input', async () => {
  const program = `${INPUT}.then(({ value }) => console.log('pages', value));`;
  const echoed = [];
  for (const input of ['1', '2']) {
    const id = await platform.start(program, { lock, input, warm: true });
    expect(await platform.ended(id)).toMatchObject({ action: 'end', error_stack: null });
    echoed.push(...(await platform.echoes(id)).map(({ msg }) => msg));
  }
  expect(echoed).toEqual(['pages 1', 'pages 2']);
});

test('each warm run of a function has its own input', async () => {
  const skript = `let runs = 0; module.exports = async () => [++runs, (await ${INPUT}).value];`;
  const outputs = [];
  for (const input of ['5', '6']) outputs.push((await platform.run(skript, { lock, input, warm: true })).output);
  expect(outputs).toEqual(['[1,5]', '[2,6]']);
});

const actor = (code: string) => `const { Actor } = require('apify'); const actor = new Actor();
(async () => { ${code} })();`;

test('an Actor that exits ends its run, and none of its later code runs', async () => {
  const id = await platform.start(
    actor("console.log((await actor.getInput()).ship); await actor.exit('done'); console.log('later');"),
    { lock, input: '{"ship":"Pequod"}' },
  );
  expect(await platform.ended(id)).toMatchObject({ action: 'end', error_stack: null });
  expect((await platform.echoes(id)).map(({ msg }) => msg)).toEqual(['Pequod']);
});

test('an Actor that fails ends its run with its message', async () => {
  const { error_code, error_stack } = await platform.run(actor("await actor.fail('closed');"), { lock });
  expect([error_code, error_stack]).toEqual([
    'exception',
    expect.stringContaining('The skript ended itself with the exit code 1: closed'),
  ]);
});

test('a call that needs the platform of Apify fails the run by name', async () => {
  const { error_stack } = await platform.run(actor("await actor.call('other/actor');"), { lock });
  expect(error_stack).toContain('Actor.call does not work in Trawl. Start the other skript with the Joint API');
});
