import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CHUNK_IN_FINISH_PROTOCOL, type Hello, PROTOCOL } from '@trawl/contracts';
import { restoredWorker } from './connected-worker.js';
import { gone, isAlive } from './left-processes.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { ANNOUNCE, announcedPids } from './run-processes.js';
import { WorkerProcess } from './worker-process.js';

/** A short lease, so that a frame already counts as lost after three heartbeats of 900 ms. */
const LEASE_MS = 4_000;
let platform: PlatformStandIn;
let worker: WorkerProcess;

const WAITS = `
  ${ANNOUNCE}module.exports = () => {
    announce();
    return new Promise(done => setTimeout(done, 60_000));
  };`;

/** Starts a run that waits until the test ends it. Returns the last pid that the run announces. */
async function startWaiting(skript = WAITS): Promise<{ id: string; pid: number }> {
  const id = await platform.start(skript);
  return { id, pid: (await announcedPids(platform, id)).at(-1) as number };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function nothingLeft(): Promise<void> {
  const deadline = Date.now() + 60_000;
  while ((await worker.leftRuns()).length > 0) {
    if (Date.now() > deadline) throw new Error(`folders of runs are left: ${await worker.leftRuns()}`);
    await pause(20);
  }
}

describe('a worker', () => {
  const restored = restoredWorker();
  restored.platform.leaseMs = LEASE_MS;
  beforeEach(() => {
    platform = restored.platform;
    worker = restored.worker();
  });

  test('continues its run while the platform is down, and delivers echoes and result afterwards', async () => {
    const { id, pid } = await startWaiting(`
      const { statSync, writeFileSync } = require('node:fs');
      const wait = () => new Promise(done => setTimeout(done, 5));
      ${ANNOUNCE}module.exports = async () => {
        writeFileSync('go-on', '');
        announce();
        for (let n = 2; n <= 20; n += 1) console.log('echo ' + n);
        while (statSync('go-on').size === 0) await wait();
        for (let n = 21; n <= 40; n += 1) console.log('echo ' + n);
        return 'done';
      };`);
    await platform.close();
    await worker.said('connection to the platform lost');
    writeFileSync(`/proc/${pid}/cwd/go-on`, 'now');
    await worker.said('run is over');
    expect(platform.finishes.has(id)).toBe(false);
    await platform.open();
    expect(await platform.ended(id)).toMatchObject({ action: 'end', output: '"done"', last_seq: 40 });
    expect((await platform.echoes(id)).slice(1).map(({ msg }) => msg)).toEqual(
      Array.from({ length: 39 }, (_, n) => `echo ${n + 2}`),
    );
    expect(new Set(platform.hellos.map(({ boot_id }) => boot_id)).size).toBe(1);
    await nothingLeft();
  });

  test('repeats the result of a run whose acknowledgement was lost, and then forgets the run', async () => {
    platform.acknowledging = false;
    const id = await platform.start('module.exports = () => { console.log("one"); };');
    await platform.ended(id);
    await platform.until(() => platform.chunks.has(id), 'the chunk');
    expect(await worker.leftRuns()).toEqual([id]);
    platform.acknowledging = true;
    platform.cut();
    await platform.until(() => platform.finishes.get(id)?.length === 2, 'the finish once more');
    expect(platform.hellos.at(-1)).toMatchObject({ live: [], done: [id] });
    await nothingLeft();
  });

  test('repeats the result of a run that was lost on an open connection', async () => {
    platform.unanswered = 'finish';
    const id = await platform.run('module.exports = () => 1;').then(({ id }) => id);
    await platform.until(() => platform.hellos.length === 2, 'a second hello');
    platform.unanswered = null;
    await platform.until(() => platform.finishes.get(id)?.length === 2, 'the finish once more');
    expect(platform.hellos[1]).toMatchObject({ boot_id: platform.hellos[0]?.boot_id, live: [], done: [id] });
    await nothingLeft();
  });

  test('sends a new hello and repeats the result of a run when the platform has a newer epoch', async () => {
    const { id } = await startWaiting();
    platform.raiseEpoch();
    await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
    expect(await platform.ended(id)).toMatchObject({ action: 'stop' });
    expect(platform.hellos).toHaveLength(2);
  });

  test('sends hello at once after a stall beyond its lease, and ends the runs that the platform names', async () => {
    const { id, pid } = await startWaiting();
    const { id: kept } = await startWaiting();
    process.kill(worker.pid, 'SIGSTOP');
    platform.raiseEpoch();
    platform.welcome.kill = [id];
    process.kill(worker.pid, 'SIGCONT');
    await platform.until(() => platform.hellos.length === 2, 'a second hello');
    expect(platform.hellos[1]).toMatchObject({ boot_id: platform.hellos[0]?.boot_id, live: [id, kept] });
    expect(await platform.ended(id)).toMatchObject({ action: 'error', error_code: 'worker_lost' });
    await gone(pid);
    expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end', output: '1' });
    await platform.control({ id: kept, cmd_seq: 1, cmd: 'stop' });
    expect(await platform.ended(kept)).toMatchObject({ action: 'stop' });
    expect(platform.connections).toBe(1);
  });

  test('kills the runs and deletes the results that the platform’s welcome lists', async () => {
    platform.acknowledging = false;
    const done = await platform.start('module.exports = () => 1;');
    await platform.ended(done);
    const { id, pid } = await startWaiting();
    platform.acknowledging = true;
    platform.welcome = { kill: [id], forget: [done], controls: [] };
    platform.cut();
    await platform.ended(id);
    await gone(pid);
    await nothingLeft();
    expect(platform.finishes.get(done)).toHaveLength(1);
  });

  test('stops a run when the platform’s welcome contains the stop', async () => {
    const { id } = await startWaiting();
    platform.welcome.controls = [{ id, cmd_seq: 1, cmd: 'stop' }];
    platform.cut();
    expect(await platform.ended(id)).toMatchObject({ action: 'stop', error_code: null });
  });

  test('removes the folder of a run that removed the permissions of that folder', async () => {
    const skript = `
      const fs = require('node:fs');
      module.exports = () => { fs.mkdirSync('a/b', { recursive: true }); fs.symlinkSync('/etc', 'a/c'); fs.chmodSync('a', 0); fs.chmodSync('.', 0); };`;
    expect(await platform.run(skript)).toMatchObject({ action: 'end' });
    await nothingLeft();
  });

  test('sends the echoes of a short run with its result, or separately to a platform of an older protocol', async () => {
    const skript = 'module.exports = () => { console.log("one"); return 2; };';
    const { id } = await platform.run(skript);
    expect(await platform.echoes(id)).toMatchObject([{ msg: 'one' }]);
    expect(platform.chunkFrames).toBe(0);
    platform.protocol = CHUNK_IN_FINISH_PROTOCOL - 1;
    platform.raiseEpoch();
    const { id: earlier } = await platform.run(skript);
    expect(await platform.echoes(earlier)).toMatchObject([{ msg: 'one' }]);
    expect(platform.chunkFrames).toBe(1);
    await nothingLeft();
    platform.protocol = PROTOCOL;
    platform.raiseEpoch();
  });

  test('exchanges four frames for a short run: its offer and its result, each with an acknowledgement', async () => {
    const skript = 'module.exports = () => { console.log("one"); return 2; };';
    await platform.run(skript);
    await nothingLeft();
    platform.forget();
    await platform.run(skript);
    await nothingLeft();
    // Frames of events begin with 2, those of acknowledgements with 3. Each heartbeat is one of both.
    const frames = platform.frames.map(String);
    const events = frames.flatMap(frame => /^2\D+\d+\["(\w+)/.exec(frame)?.[1] ?? []);
    expect(events.filter(event => event !== 'beat')).toEqual(['offer', 'finish']);
    expect(frames).toHaveLength(2 * events.length);
  });

  test('starts one run for an offer that is repeated', async () => {
    const skript = 'module.exports = () => { console.log("once"); };';
    const id = await platform.start(skript);
    expect(await platform.offer(id, skript)).toEqual({ accepted: true });
    expect(await platform.echoes(id)).toHaveLength(1);
  });

  test('starts no second run for an offer that is repeated after the run was delivered', async () => {
    const skript = 'module.exports = () => { console.log("once"); };';
    const id = await platform.start(skript);
    await platform.echoes(id);
    await nothingLeft();
    expect(await platform.offer(id, skript)).toEqual({ accepted: true });
    await platform.run('module.exports = () => 1;');
    expect(platform.finishes.get(id)).toHaveLength(1);
    expect(await worker.leftRuns()).not.toContain(id);
  });

  test('refuses a repeated offer that it has refused before, although a slot is free now', async () => {
    const slots = platform.hellos[0]?.slots ?? 0;
    const ids = await Promise.all(Array.from({ length: slots }, () => platform.start(WAITS)));
    const refused = randomUUID();
    expect(await platform.offer(refused, WAITS)).toEqual({ refused: 'full' });
    await platform.control({ id: ids[0] as string, cmd_seq: 1, cmd: 'stop' });
    await platform.ended(ids[0] as string);
    platform.sayLastOfferAgain();
    // When this run has ended, the worker has answered the repeated offer too.
    expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end' });
    expect(await worker.leftRuns()).not.toContain(refused);
  });

  test('refuses a run when all its slots are taken, and accepts one when a run has ended', async () => {
    const slots = platform.hellos[0]?.slots ?? 0;
    const ids = await Promise.all(Array.from({ length: slots }, () => platform.start(WAITS)));
    await expect(platform.start(WAITS)).rejects.toThrow('full');
    await Promise.all(ids.map(id => platform.control({ id, cmd_seq: 1, cmd: 'stop' })));
    await Promise.all(ids.map(id => platform.ended(id)));
    expect(await platform.run('module.exports = () => 1;')).toMatchObject({ action: 'end' });
  });

  test('ends its runs when it is killed; its next start reports them as lost and delivers ended ones', async () => {
    // This run never gives way to its event loop, so it cannot notice that the worker has ended.
    const { id, pid } = await startWaiting(`
      ${ANNOUNCE}module.exports = async () => {
        announce();
        await new Promise(done => setTimeout(done, 5));
        for (;;);
      };`);
    const { id: parent, pid: child } = await startWaiting(`
      const { spawn } = require('node:child_process');
      ${ANNOUNCE}module.exports = () => {
        const child = spawn('sleep', ['600'], { stdio: 'ignore' });
        announce(child.pid);
        return new Promise(done => setTimeout(done, 60_000));
      };`);
    platform.unanswered = 'finish';
    const ended = await platform.start('module.exports = () => { console.log("one"); return 1; };');
    await platform.ended(ended);
    await worker.end('SIGKILL');
    await gone(pid);
    const [boot, deliveries] = [platform.hellos.at(-1)?.boot_id, platform.finishes.get(ended)?.length ?? 0];
    platform.unanswered = null;
    worker.start();
    for (const lost of [id, parent]) {
      expect(await platform.ended(lost)).toMatchObject({ action: 'error', error_code: 'worker_lost', output: null });
      expect(await platform.echoes(lost)).toMatchObject([{ msg: expect.stringContaining('pids ') }]);
    }
    await gone(child);
    const { live, done, boot_id } = platform.hellos.at(-1) as Hello;
    expect([live, new Set(done)]).toEqual([[], new Set([ended, id, parent])]);
    expect(boot_id).not.toBe(boot);
    await platform.until(() => (platform.finishes.get(ended)?.length ?? 0) > deliveries, 'the finish once more');
    expect(platform.finishes.get(ended)?.at(-1)).toMatchObject({
      action: 'end',
      output: '1',
      last_seq: 1,
      last_chunk: 1,
    });
    await platform.echoes(ended);
    await nothingLeft();
  });

  test('ends when its supervisor is gone', async () => {
    worker.closeStdin();
    expect(await worker.ended()).toBe(0);
  });
});

describe('a newly started worker', () => {
  beforeEach(async () => {
    platform = new PlatformStandIn();
    platform.leaseMs = LEASE_MS;
    await platform.open();
    worker = await WorkerProcess.create(platform.url);
  });
  afterEach(async () => {
    await worker.remove();
    await platform.close();
  });

  test('removes the files of its runs at the next start after it was killed, before it delivers them', async () => {
    // Use no full sandbox: with one, the files would disappear together with the sandbox.
    worker.start({ TRAWL_SANDBOX: 'reduced' });
    await platform.connected();
    const { id } = await startWaiting(`
      ${ANNOUNCE}module.exports = () => {
        require('node:fs').writeFileSync('mine.txt', '');
        announce();
        return new Promise(done => setTimeout(done, 60_000));
      };`);
    const files = () => readdirSync(join(worker.data, 'worker', 'places'), { recursive: true }).map(String);
    expect(files().filter(name => name.endsWith('mine.txt'))).toHaveLength(1);
    await worker.end('SIGKILL');
    platform.acknowledging = false;
    worker.start({ TRAWL_SANDBOX: 'reduced' });
    await platform.ended(id);
    expect(files().filter(name => name.endsWith('mine.txt'))).toEqual([]);
    expect(await worker.leftRuns()).toEqual([id]);
  });

  test('delivers the results of its runs when it shuts down, even if a client is connected to its call port', async () => {
    const port = await freePort();
    worker.start({
      TRAWL_CALL_PORT: String(port),
      TRAWL_CALL_KEY: 'call-key-of-this-worker-and-of-nothing-else',
      TRAWL_CALL_ACCOUNT_KEY: 'trk_key-of-the-account',
    });
    await platform.connected();
    const { id, pid } = await startWaiting();
    const silent = connect(port, '127.0.0.1');
    await once(silent, 'connect');
    const cut = once(silent.resume(), 'close');
    expect(await worker.end('SIGTERM')).toBe(0);
    expect(await platform.ended(id)).toMatchObject({
      action: 'error',
      error_code: 'worker_lost',
      error_stack: 'The worker was shut down while the run was on it.',
    });
    expect(isAlive(pid)).toBe(false);
    await cut;
  });

  test('does not end before its shutdown deadline when it gets a second signal', async () => {
    worker.start();
    await platform.connected();
    const { id } = await startWaiting();
    platform.acknowledging = false;
    const ended = worker.end('SIGTERM');
    await worker.said('shutting down');
    worker.signal('SIGINT');
    expect(await ended).toBe(0);
    expect(worker.output.match(/shutting down/g)).toHaveLength(1);
    // The run is still on disk, because the worker could not deliver it. The next start delivers it.
    expect(await worker.leftRuns()).toEqual([id]);
  });

  test('exits with the reason if TRAWL_URL is unencrypted', async () => {
    worker.start({ TRAWL_URL: 'http://trawl.example.com' });
    expect(await worker.ended()).toBe(1);
    expect(worker.output).toMatch(
      /^The worker's settings are invalid\.\nTRAWL_URL: plain http:\/\/ and ws:\/\/ are refused/,
    );
  });

  test('logs once that the platform does not know its key, and keeps trying', async () => {
    worker.start({ TRAWL_WORKER_KEY: 'trw_wrong' });
    await worker.said('no worker has this key');
    await worker.end('SIGTERM');
    expect(worker.output.match(/no worker has this key/g)).toHaveLength(1);
    expect(worker.output).not.toContain('trw_wrong');
  });
});
