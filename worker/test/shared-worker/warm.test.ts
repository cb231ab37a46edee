import { randomUUID } from 'node:crypto';
import type { Offer } from '@trawl/contracts';
import { serialize } from 'bson';
import { firstEcho } from '../run-processes.js';
import { platform } from './worker.js';

const WARM: Partial<Offer> = { warm: true };

/** Skript that counts how many runs its process has served. `input` is code that the run executes before it returns. */
const COUNTS = `
  let runs = 0;
  module.exports = async input => {
    runs += 1;
    await eval('(async () => {' + (input ?? '') + '})()');
    return runs;
  };`;

/** Returns a different skript each time, so that tests do not share a warm process. */
const counting = (): string => `${COUNTS}\n// ${randomUUID()}`;

const does = (code: string): Partial<Offer> => ({ ...WARM, input: JSON.stringify(code) });

async function count(skript: string, options: Partial<Offer> = WARM): Promise<unknown> {
  return JSON.parse((await platform.run(skript, options)).output ?? 'null');
}

test('a warm run reuses the process of the run before, with the state of its modules', async () => {
  const skript = counting();
  expect([await count(skript), await count(skript), await count(skript)]).toEqual([1, 2, 3]);
});

test('a run that is not warm never gets a used process', async () => {
  const skript = counting();
  expect([await count(skript, {}), await count(skript, {}), await count(skript), await count(skript, {})]).toEqual([
    1, 1, 1, 1,
  ]);
});

const SECRET = '{"password":"correct horse"}';
const DIFFERENT: [string, Partial<Offer>][] = [
  ['owner', { owner_id: '0190f7a2-0000-7000-8000-00000000000b' }],
  ['secret', { input_secret: '{"password":"battery staple"}' }],
  ['limits', { limits: { time_ms: 19_000, pause_ms: 3_600_000, output_bytes: 1_000 } }],
];

test.each(DIFFERENT)('a warm run with another %s never gets the process of an earlier run', async (_what, part) => {
  const skript = counting();
  const mine = { ...WARM, input_secret: SECRET };
  expect(await count(skript, mine)).toBe(1);
  expect(await count(skript, { ...mine, ...part })).toBe(1);
  expect(await count(skript, mine)).toBe(2);
});

test('a warm run of other code never gets the process of an earlier run', async () => {
  const skript = counting();
  expect(await count(skript)).toBe(1);
  expect(await count(`${skript} changed`)).toBe(1);
  expect(await count(skript)).toBe(2);
});

test.each([
  ['an exception', "throw new Error('broken');", 'error'],
  ['an output that is none', 'throw Object.assign(new Error(), { toJSON: () => 1n });', 'error'],
  ['process.exit', 'process.exit(0);', 'error'],
  ['its time limit', 'await new Promise(done => setTimeout(done, 60_000));', 'error'],
])('no warm run reuses a process after %s', async (_what, code, action) => {
  const skript = counting();
  const limits = { time_ms: 3_000, pause_ms: 3_600_000, output_bytes: 1_000 };
  expect(await count(skript, { ...WARM, limits })).toBe(1);
  expect((await platform.run(skript, { ...does(code), limits })).action).toBe(action);
  expect(await count(skript, { ...WARM, limits })).toBe(1);
});

test('no warm run reuses a process after a stop or a pause', async () => {
  for (const cmds of [['stop'], ['pause', 'resume']] as const) {
    const skript = counting();
    expect(await count(skript)).toBe(1);
    const waits = `await new Promise(done => { console.log('up'); const timer = setInterval(() => {}, 9);
      const end = () => { clearInterval(timer); done(); };
      global.trawl.eventEmitter.on('ff-stop', end); ${cmds.length > 1 ? 'setTimeout(end, 500);' : ''} });`;
    const id = await platform.start(skript, does(waits));
    await firstEcho(platform, id);
    for (const [at, cmd] of cmds.entries()) await platform.control({ id, cmd, cmd_seq: at + 1 });
    await platform.ended(id);
    expect(await count(skript)).toBe(1);
  }
});

test('no warm run gets a process that has died', async () => {
  const skript = counting();
  expect(await count(skript, does('setTimeout(() => process.kill(process.pid, "SIGKILL"), 50);'))).toBe(1);
  let seen: unknown;
  do seen = await count(skript, does('await new Promise(done => setTimeout(done, 100));'));
  while (seen !== 1);
});

test('each run in a warm process has its own id, events and echoes, without those of the run before', async () => {
  const skript = counting();
  const first = await platform.start(
    skript,
    does(`const { echo } = require('@trawl/echo'); globalThis.before = trawl.eventEmitter; process.stdout.write('no end');
      trawl.eventEmitter.on('ff-stop', () => console.log('wrong run'));
      echo.log(trawl.execution_id); setTimeout(() => { globalThis.before.emit('echo', { type: 'log', msg: 'late', time: '' }); }, 1);
      process.chdir('/');`),
  );
  expect((await platform.echoes(first)).map(({ msg }) => msg)).toEqual([first, 'no end']);
  const second = await platform.start(
    skript,
    does(`console.log(trawl.execution_id, trawl.eventEmitter === globalThis.before, process.cwd() === __dirname);
      await new Promise(done => setTimeout(done, 50));`),
  );
  expect((await platform.echoes(second)).map(({ msg }) => msg)).toEqual([`${second} false true`]);
  expect((await platform.ended(second)).output).toBe('2');
});

test('each run in a warm process finds the skript’s files unchanged, even if the run before changed them', async () => {
  const skript = {
    'main.js': counting(),
    'prices.csv': 'name;price\r\n"Ærø";1\r\n',
    'pages/end.html': '<p>\u2028</p>\n',
  };
  const reads = `const fs = require('node:fs'); const { join } = require('node:path');
    console.log(JSON.stringify([fs.readFileSync('./prices.csv', 'utf8'), fs.readFileSync(join(__dirname, 'pages/end.html'), 'utf8')]));`;
  const spoils = `fs.rmSync('prices.csv'); fs.mkdirSync('prices.csv'); fs.writeFileSync('pages/end.html', 'changed'); process.chdir('/');`;
  for (const run of [1, 2, 3]) {
    const id = await platform.start(skript, does(reads + spoils));
    const { output, error_stack } = await platform.ended(id);
    expect([output, error_stack]).toEqual([String(run), null]);
    const [echo] = await platform.echoes(id);
    expect(JSON.parse(echo?.msg ?? '')).toEqual([skript['prices.csv'], skript['pages/end.html']]);
  }
});

test('a run cannot forge the result of the next run in its warm process', async () => {
  const skript = counting();
  const forged = JSON.stringify({ run: 1, t: 'settled', output: '"forged"' });
  const writes = `const fs = require('node:fs'); setInterval(() => fs.writeSync(4, ${JSON.stringify(`${forged}\n`)}), 2);`;
  expect(await count(skript, does(writes))).toBe(1);
  expect(await count(skript, does('await new Promise(done => setTimeout(done, 100));'))).toBe(2);
});

test('unanswered storage calls of a run do not affect the next run in its warm process', async () => {
  const skript = counting();
  platform.answerStorage = ({ op_id }) => (op_id === 1 ? null : { result: serialize({ count: 1 }) });
  const calls = `require('@trawl/storage').mongo.collection('books').countDocuments().catch(() => {});`;
  expect(await count(skript, does(calls.repeat(20)))).toBe(1);
  platform.answerStorage = () => ({ result: serialize({ count: 7 }) });
  const next = `console.log(await require('@trawl/storage').mongo.collection('books').countDocuments());`;
  const id = await platform.start(skript, does(next));
  expect((await platform.ended(id)).output).toBe('2');
  expect((await platform.echoes(id)).map(({ msg }) => msg)).toEqual(['7']);
});
