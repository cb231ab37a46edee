import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { LIMITS, type StorageFrame } from '@trawl/contracts';
import { serialize } from 'bson';
import { PlatformStandIn, WORKER_KEY } from '../platform-stand-in.js';
import { WorkerProcess } from '../worker-process.js';
import { endOf, type HostileSkript } from './hostile-skript.js';
import { Outside } from './outside.js';

/**
 * The worker may not use more memory than this. It needs about 70 MB, and a flood fills some buffers whose size is
 * limited.
 */
const WORKER_MB = 400;
const GONE_MS = 60_000;
/**
 * How long the test waits for the end of a run after its time limit: on a busy machine, it takes long to end a flood.
 */
const END_MS = 60_000;
const LASTING_MS = 600_000;
/**
 * Maximum number of pending storage calls. The worker stops reading at 32, but it still handles the lines that it has
 * already read.
 */
const MAX_PENDING = 32 + 256;
/** Name of a collection. The stand-in for the platform never answers calls for it. */
const NEVER_ANSWERED = 'never answered';
const isAnswered = (op: StorageFrame['op']): boolean => !('collection' in op) || op.collection !== NEVER_ANSWERED;

const COMMON_FILES = Object.fromEntries(
  ['fill.js', 'got.js', 'system-call.js'].map(name => [name, readFileSync(join(__dirname, name), 'utf8')]),
);

/**
 * Returns a main.js that echoes its pid namespace and the time when that began, and then exports the skript. With both,
 * the test can find the run's processes. The number of the namespace is not enough, because the kernel uses such
 * numbers again.
 */
const inNamespace = (path: string) => `
  const { readFileSync, readlinkSync } = require('node:fs');
  console.log(readlinkSync('/proc/self/ns/pid') + ' since ' + readFileSync('/proc/1/stat', 'utf8').split(') ')[1].split(' ')[19]);
  module.exports = require('./${path}');`;

/** Skript of a run that keeps a secret in every place where a run can have one. Other runs must not find it. */
const NEIGHBOUR = `
  const fs = require('node:fs');
  const net = require('node:net');
  const folders = ['.', require('node:os').tmpdir(), '/dev/shm'];
  module.exports = ({ secret }) => new Promise(done => {
    for (const folder of folders) fs.writeFileSync(folder + '/neighbour.txt', secret);
    require('node:child_process').spawn('sleep', ['1000'], { env: { PATH: process.env.PATH, NEIGHBOUR: secret } });
    let visitors = 0;
    const server = net.createServer(visitor => { visitors += 1; visitor.on('error', () => {}).end(secret); }).listen(0, () => {
      console.log(JSON.stringify({ port: server.address().port, uid: process.getuid(), home: process.cwd() }));
    });
    global.trawl.eventEmitter.on('ff-stop', () => done({
      visitors,
      intact: folders.every(folder => fs.readFileSync(folder + '/neighbour.txt', 'utf8') === secret),
    }));
  });`;

/** Skript of a harmless run. It returns a sum, and the files of earlier runs that it can find. */
const PLAIN = `
  const fs = require('node:fs');
  const folders = [...new Set(['.', require('node:os').tmpdir(), '/tmp', '/dev/shm'].map(path => fs.realpathSync(path)))];
  module.exports = async ({ a, b }) => {
    console.log('adding');
    const found = folders.flatMap(folder => fs.readdirSync(folder).map(name => folder + '/' + name));
    await new Promise(resolve => setImmediate(resolve));
    return { sum: a + b, found: found.filter(path => !folders.includes(path)) };
  };`;

/**
 * A real worker for hostile skripts. During the tests it also executes a neighbour, that is, a run that must not be
 * harmed.
 */
export class HostileWorker {
  readonly #platform = new PlatformStandIn();
  readonly #outside = new Outside();
  #worker: WorkerProcess | undefined;
  #neighbour = { id: '', map: {} };

  async open(settings: Record<string, string>): Promise<void> {
    await this.#outside.open();
    await this.#platform.open();
    this.#platform.answerStorage = ({ op }) => (isAnswered(op) ? { result: serialize({}) } : new Promise(() => {}));
    const worker = await WorkerProcess.create(this.#platform.url);
    this.#worker = worker;
    const { folder, secret } = this.#outside;
    // Start the worker from a program that leaves a file descriptor open by mistake. Runs must not get this descriptor.
    const starter = ['bash', '-c', 'exec 50<>"$0"; exec "$@"', join(folder, 'secret.txt')];
    worker.start({ ...settings, CANARY: secret }, starter);
    await this.#platform.connected();
    const level = this.#platform.hellos[0]?.sandbox;
    if (level !== 'full')
      throw new Error(`The sandbox is ${level}; these skripts would harm the machine.\n${worker.output}`);
    const id = await this.#platform.start(NEIGHBOUR, {
      input: JSON.stringify({ secret }),
      limits: { time_ms: LASTING_MS, pause_ms: LASTING_MS, output_bytes: LIMITS.outputBytes },
    });
    this.#neighbour = { id, map: JSON.parse(await this.#said(id, msg => msg.startsWith('{'))) };
  }

  async close(): Promise<void> {
    await this.#worker?.remove();
    await this.#platform.close();
    await this.#outside.close();
  }

  /**
   * Executes a hostile skript. After that, checks everything that must be true after every hostile skript.
   */
  async expectHarmless(skript: HostileSkript): Promise<void> {
    const { path, code, ends, says, echoes, stop, timeMs } = skript;
    const platform = this.#platform;
    const worker = this.#worker as WorkerProcess;
    const { folder, map } = this.#outside;
    const input = { worker: { pid: worker.pid, folder: worker.data }, outside: map, neighbour: this.#neighbour.map };
    const id = await platform.start(
      { ...COMMON_FILES, 'main.js': inNamespace(path), [path]: code },
      {
        input: JSON.stringify(input),
        limits: { time_ms: timeMs, pause_ms: LASTING_MS, output_bytes: LIMITS.outputBytes },
      },
    );
    if (stop !== null) {
      await this.#said(id, msg => msg === stop);
      await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    }
    await platform.until(() => platform.finishes.has(id), 'its end', timeMs + END_MS);
    const finish = await platform.ended(id);
    const end = endOf(finish);
    // On a busy machine, a short time limit may pass before the skript begins.
    if (end === 'time_limit' && finish.last_seq === 0) return this.expectHarmless({ ...skript, timeMs: timeMs * 4 });
    const saved = await this.#firstEchoes(id);
    const seen = `It ended ${end}: ${finish.error_stack}\n${saved.slice(0, 2_000)}`;
    if (!ends.some(one => one === end || (one === 'end' && finish.action === 'end'))) throw new Error(seen);
    if (says !== null) expect(finish.error_stack).toMatch(says);
    if (echoes !== null) expect(saved).toMatch(echoes);
    for (const secret of [this.#outside.secret, WORKER_KEY, folder, worker.data]) {
      expect(JSON.stringify(finish) + saved).not.toContain(secret);
    }
    await this.#outside.expectUntouched();
    const [, namespace, since] = saved.match(/(pid:\[\d+\]) since (\d+)/) ?? [];
    expect(namespace).not.toBe(readlinkSync('/proc/self/ns/pid'));
    await gone(namespace as string, since as string);
    expect(platform.finishes.get(id)).toHaveLength(1);
    expect(platform.hellos).toHaveLength(1);
    const unanswered = platform.storage.filter(frame => frame.id === id && !isAnswered(frame.op));
    expect(unanswered.length > 0).toBe(code.includes(NEVER_ANSWERED));
    expect(unanswered.length).toBeLessThanOrEqual(MAX_PENDING);
    expect(platform.finishes.has(this.#neighbour.id)).toBe(false);
    expect(mostMemoryMb(worker.pid)).toBeLessThan(WORKER_MB);
  }

  /** Call after all skripts. */
  async expectNeighbourIntact(): Promise<void> {
    const { id } = this.#neighbour;
    await this.#platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    expect(await this.#platform.ended(id)).toMatchObject({ output: '{"visitors":0,"intact":true}' });
  }

  async expectPlainRun(): Promise<void> {
    const id = await this.#platform.start(PLAIN, { input: '{"a":2,"b":3}' });
    expect(await this.#platform.ended(id)).toMatchObject({ action: 'end', output: '{"sum":5,"found":[]}' });
    expect((await this.#platform.echoes(id)).map(({ msg }) => msg)).toEqual(['adding']);
  }

  /** Waits for one of the first echoes of a live run. */
  async #said(id: string, isIt: (msg: string) => boolean): Promise<string> {
    for (;;) {
      const found = (await this.#platform.read(id, 1, 20)).find(({ msg }) => isIt(msg));
      if (found) return found.msg;
      if (this.#platform.finishes.has(id)) throw new Error('The run ended before the expected echo.');
      await pause(20);
    }
  }

  async #firstEchoes(id: string): Promise<string> {
    const chunk = () => this.#platform.chunks.get(id)?.get(1);
    await this.#platform.until(() => chunk() !== undefined, 'the first echoes');
    return gunzipSync(chunk()?.gz as Uint8Array).toString();
  }
}

/** Resolves when all processes of a pid namespace have ended. `since` is the time when its first process started. */
async function gone(namespace: string, since: string): Promise<void> {
  const deadline = Date.now() + GONE_MS;
  for (;;) {
    const left = processesIn(namespace);
    if (!left.some(({ isFirst, started }) => isFirst && started === since)) return;
    if (Date.now() > deadline)
      throw new Error(
        `processes that still run after the run has ended:\n${left.map(({ command }) => command).join('\n')}`,
      );
    await pause(20);
  }
}

/**
 * Lists the processes in a pid namespace. It is enough to wait for the first one: when it ends, the kernel kills all
 * others and removes the first one last.
 */
function processesIn(namespace: string): { isFirst: boolean; started: string; command: string }[] {
  return readdirSync('/proc').flatMap(pid => {
    try {
      if (readlinkSync(`/proc/${pid}/ns/pid`) !== namespace) return [];
      const [status, stat, command] = ['status', 'stat', 'cmdline'].map(name =>
        readFileSync(`/proc/${pid}/${name}`, 'utf8'),
      );
      const isFirst = /^NSpid:.*\t1$/m.test(status as string);
      return [{ isFirst, started: stat?.split(') ')[1]?.split(' ')[19] ?? '', command: `${pid} ${command}` }];
    } catch {
      // Ignore the entry: it is not a process, or the process has ended.
      return [];
    }
  });
}

function mostMemoryMb(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmHWM:\s+(\d+) kB$/m)?.[1]) / 1024;
}
