import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { LIMITS } from '@trawl/contracts';
import { PlatformStandIn, WORKER_KEY } from '../platform-stand-in.js';
import { WorkerProcess } from '../worker-process.js';
import { endOf, type HostileSkript } from './hostile-skript.js';
import { Outside } from './outside.js';

/** It needs 70 MB or so; a flood fills some buffers, each of which is bounded. */
const WORKER_MB = 400;
const GONE_MS = 10_000;
/** A flood on a machine under load takes its time to be ended. */
const END_MS = 30_000;
const LASTING_MS = 600_000;
/** Storage calls: no more lines are read when there are 32, but those of the piece that is being read are taken. */
const MOST_UNDER_WAY = 32 + 256;
/** A collection whose database does not answer. */
const NEVER_ANSWERED = 'never answered';
const isAnswered = ({ collection }: { collection: string }): boolean => collection !== NEVER_ANSWERED;

const COMMON_FILES = Object.fromEntries(
  ['got.js', 'system-call.js'].map(name => [name, readFileSync(join(__dirname, name), 'utf8')]),
);

/**
 * Says which process namespace it is in and when that began, by which its processes are known from outside (numbers of
 * namespaces are used again), then is the skript.
 */
const inNamespace = (path: string) => `
  const { readFileSync, readlinkSync } = require('node:fs');
  console.log(readlinkSync('/proc/self/ns/pid') + ' since ' + readFileSync('/proc/1/stat', 'utf8').split(') ')[1].split(' ')[19]);
  module.exports = require('./${path}');`;

/** Has a secret in each place where a run can have one. */
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

/** What a user's run is like: it finds nothing of those before it, and answers. */
const PLAIN = `
  const fs = require('node:fs');
  const folders = [...new Set(['.', require('node:os').tmpdir(), '/tmp', '/dev/shm'].map(path => fs.realpathSync(path)))];
  module.exports = async ({ a, b }) => {
    console.log('adding');
    const found = folders.flatMap(folder => fs.readdirSync(folder).map(name => folder + '/' + name));
    await new Promise(resolve => setImmediate(resolve));
    return { sum: a + b, found: found.filter(path => !folders.includes(path)) };
  };`;

/** The real worker with a neighbour on it: a run that goes on beside the hostile ones. */
export class HostileWorker {
  readonly #platform = new PlatformStandIn();
  readonly #outside = new Outside();
  #worker: WorkerProcess | undefined;
  #neighbour = { id: '', map: {} };

  async open(settings: Record<string, string>): Promise<void> {
    await this.#outside.open();
    await this.#platform.open();
    this.#platform.answerStorage = ({ op }) => (isAnswered(op) ? { result: '{}' } : new Promise(() => {}));
    const worker = await WorkerProcess.create(this.#platform.url);
    this.#worker = worker;
    const { folder, secret } = this.#outside;
    // As a careless program would start it: with a descriptor left open.
    const starter = ['bash', '-c', 'exec 50<>"$0"; exec "$@"', join(folder, 'secret.txt')];
    worker.start({ ...settings, CANARY: secret }, starter);
    await this.#platform.connected();
    const level = this.#platform.hellos[0]?.sandbox;
    if (level !== 'full')
      throw new Error(`The sandbox is ${level}; these skripts would harm the machine.\n${worker.output}`);
    const id = await this.#platform.start(NEIGHBOUR, {
      input: JSON.stringify({ secret }),
      limits: { time_ms: LASTING_MS, output_bytes: LIMITS.outputBytes },
    });
    this.#neighbour = { id, map: JSON.parse(await this.#said(id, msg => msg.startsWith('{'))) };
  }

  async close(): Promise<void> {
    await this.#worker?.remove();
    await this.#platform.close();
    await this.#outside.close();
  }

  /** Runs it to its end, and a plain run right after it; then checks all that must hold after any skript. */
  async expectHarmless({ path, code, ends, says, echoes, stop, timeMs }: HostileSkript): Promise<void> {
    const platform = this.#platform;
    const worker = this.#worker as WorkerProcess;
    const { folder, map } = this.#outside;
    const input = { worker: { pid: worker.pid, folder: worker.data }, outside: map, neighbour: this.#neighbour.map };
    const id = await platform.start(
      { ...COMMON_FILES, 'main.js': inNamespace(path), [path]: code },
      { input: JSON.stringify(input), limits: { time_ms: timeMs, output_bytes: LIMITS.outputBytes } },
    );
    if (stop !== null) {
      await this.#said(id, msg => msg === stop);
      await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    }
    await platform.until(() => platform.finishes.has(id), 'its end', timeMs + END_MS);
    const finish = await platform.ended(id);
    await this.#expectPlainRun();

    const end = endOf(finish);
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
    expect(unanswered.length).toBeLessThanOrEqual(MOST_UNDER_WAY);
    expect(platform.finishes.has(this.#neighbour.id)).toBe(false);
    expect(mostMemoryMb(worker.pid)).toBeLessThan(WORKER_MB);
  }

  /** To be asked once all are over. */
  async expectNeighbourIntact(): Promise<void> {
    const { id } = this.#neighbour;
    await this.#platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    expect(await this.#platform.ended(id)).toMatchObject({ output: '{"visitors":0,"intact":true}' });
  }

  async #expectPlainRun(): Promise<void> {
    const id = await this.#platform.start(PLAIN, { input: '{"a":2,"b":3}' });
    expect(await this.#platform.ended(id)).toMatchObject({ action: 'end', output: '{"sum":5,"found":[]}' });
    expect((await this.#platform.echoes(id)).map(({ msg }) => msg)).toEqual(['adding']);
  }

  /** Waits for one of the first echoes of a run that is under way. */
  async #said(id: string, isIt: (msg: string) => boolean): Promise<string> {
    for (;;) {
      const found = (await this.#platform.read(id, 1, 20)).find(({ msg }) => isIt(msg));
      if (found) return found.msg;
      if (this.#platform.finishes.has(id)) throw new Error('The run ended before it said what it was to say.');
    }
  }

  async #firstEchoes(id: string): Promise<string> {
    const chunk = () => this.#platform.chunks.get(id)?.get(1);
    await this.#platform.until(() => chunk() !== undefined, 'the first echoes');
    return gunzipSync(chunk()?.gz as Uint8Array).toString();
  }
}

/** Resolves when nothing is left of the process namespace whose first process was started then. */
async function gone(namespace: string, since: string): Promise<void> {
  const deadline = Date.now() + GONE_MS;
  for (;;) {
    const left = processesIn(namespace);
    if (!left.some(({ isFirst, started }) => isFirst && started === since)) return;
    if (Date.now() > deadline) throw new Error(`left of the run:\n${left.map(({ command }) => command).join('\n')}`);
    await pause(20);
  }
}

/** The kernel ends all that is in a namespace with its first process, and lets that go last. */
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
      // Not a process, or gone meanwhile.
      return [];
    }
  });
}

function mostMemoryMb(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmHWM:\s+(\d+) kB$/m)?.[1]) / 1024;
}
