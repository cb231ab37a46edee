import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { Spawner } from './spawner.js';

const onLinux = process.platform === 'linux' ? test : test.skip;
const REQUEST = { program: '', args: [], uid: null, argumentsFile: '', filterFile: '', members: [] };

let folder: string;
let inner: ChildProcess;
let spawner: Spawner;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawl-spawner-'));
  inner = spawn('sleep', ['60']);
});

afterEach(() => {
  spawner.close();
  inner.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** In place of the spawner's process; `answer` is what it does with the message `m`. */
function open(answer: string): void {
  const script = join(folder, 'stand-in.cjs');
  const ends = "process.stdin.once('close', () => process.exit()).resume();";
  writeFileSync(script, `${ends} process.on('message', m => { if (m.t === 'start') { ${answer} } });`);
  spawner = new Spawner(pathToFileURL(script), [], 256, pino({ level: 'silent' }));
}

onLinux('a process whose pipes did not come is told as one that did not start, and ended', async () => {
  open(`process.send({ t: 'started', n: m.n, outer: ${inner.pid}, inner: ${inner.pid} });`);
  const ended = once(inner, 'exit');
  await expect(spawner.start(REQUEST)).rejects.toThrow('no pipe for descriptor 1, 2, 3, 4');
  expect(await ended).toEqual([null, 'SIGKILL']);
});

onLinux('a spawner that ends while it starts a process fails that start, and the next one has another', async () => {
  open('process.exit(3);');
  for (const _time of [1, 2]) await expect(spawner.start(REQUEST)).rejects.toThrow('ended with 3');
});
