import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Offer } from '@trawl/contracts';
import { cgroupNames } from '../src/executor/cgroups/open-cgroups.js';
import { MachineMemory } from '../src/machine/machine-memory.js';
import { parkedCount } from '../src/pool/pool-size.js';
import { backTo, type MachineUse, machineUse, steady } from './machine-use.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { WorkerProcess } from './worker-process.js';

const RUNS = isFullTest ? 2_000 : 120;
/** The test measures only after this many runs, because then all code is compiled and buffers have their final size. */
const FIRST_RUNS = isFullTest ? 200 : 60;
/**
 * The heap may grow by this much, because V8 keeps some data for speed. If each of the 1,800 runs leaked only 2 KB, the
 * heap would grow more.
 */
const HEAP_GROWTH_MB = 3;
const MEMORY_GROWTH_MB = 50;
/**
 * Slots that no run had before the measurement. A slot keeps its cgroups and a file from its first run on. A leak of one
 * for each run would be more than these are.
 */
const NEW_SLOTS = 5;
const GROUPS_OF_SLOT = 5;
const MB = 1024 * 1024;
/** So few that the pool parks a process for each slot even while the machine is busy. */
const SLOTS = 4;

interface Kind {
  skript: string;
  /** Set if the skript runs until it is stopped; the test then stops the run. */
  stop?: true;
  limits?: Offer['limits'];
  ends: string;
}

const PLAIN: Kind = { skript: 'module.exports = input => ({ sum: input.a + input.b });', ends: 'end' };

/** The kinds of runs that the test starts one after another. Most are plain. */
const MIX: Kind[] = [
  ...Array<Kind>(11).fill(PLAIN),
  { skript: `module.exports = () => { throw new Error('no'); };`, ends: 'exception' },
  { skript: 'module.exports = () => process.exit(3);', ends: 'process_ended' },
  { skript: `module.exports = () => process.kill(process.pid, 'SIGKILL');`, ends: 'process_ended' },
  {
    skript: `module.exports = () => { for (let n = 0; n < 200; n += 1) console.log('x'.repeat(100)); };`,
    ends: 'end',
  },
  {
    skript: `const { spawnSync } = require('node:child_process'); module.exports = () => spawnSync('true').status;`,
    ends: 'end',
  },
  {
    skript: `const { spawn } = require('node:child_process');
      module.exports = () => { spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' }).unref(); };`,
    ends: 'end',
  },
  {
    skript: `const { writeSync, writeFileSync } = require('node:fs');
      module.exports = () => { writeFileSync('left', Buffer.alloc(100_000)); writeSync(4, '[[[\\n{"t":"failed","code":"x"}\\n'); };`,
    ends: 'end',
  },
  { skript: 'module.exports = () => new Promise(() => setInterval(() => {}, 1000));', stop: true, ends: 'stop' },
  {
    skript: 'module.exports = () => { for (;;); };',
    limits: { time_ms: 30, pause_ms: 3_600_000, output_bytes: 1_000 },
    ends: 'time_limit',
  },
];

const canBeFull = process.platform === 'linux' && process.getuid?.() === 0;
const platform = new PlatformStandIn();
let worker: WorkerProcess;

// A long timeout, because the machine may be busy. No test in this file measures time.
jest.setTimeout(isFullTest ? 900_000 : 400_000);

beforeAll(async () => {
  await platform.open();
  worker = await WorkerProcess.create(platform.url);
  worker.start({
    NODE_OPTIONS: `--require=${join(__dirname, 'memory-on-signal.cjs')}`,
    TRAWL_SLOTS: String(SLOTS),
  });
  await platform.connected();
});

afterAll(async () => {
  await worker?.remove();
  await platform.close();
});

/** Executes this many runs. At any time, as many are live as the worker accepts. */
async function run(count: number): Promise<void> {
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      const kind = MIX[begun % MIX.length] as Kind;
      begun += 1;
      await runOne(kind);
    }
  };
  await Promise.all(Array.from({ length: platform.hellos[0]?.slots as number }, lane));
}

async function runOne({ skript, limits, stop, ends }: Kind): Promise<void> {
  const id = await platform.start(skript, { input: '{"a":1,"b":2}', ...(limits ? { limits } : {}) });
  if (stop) await platform.control({ id, cmd_seq: 1, cmd: 'stop' });
  const { action, error_code, error_stack } = await platform.ended(id);
  if ((error_code ?? action) !== ends) throw new Error(`It ended ${error_code ?? action}: ${error_stack}\n${skript}`);
}

interface Memory {
  rss: number;
  heapUsed: number;
}

let asked = 0;
async function memory(): Promise<Memory> {
  asked += 1;
  worker.signal('SIGUSR2');
  await worker.said(`memory ${asked} `);
  return JSON.parse(worker.output.match(new RegExp(`^memory ${asked} (.*)$`, 'm'))?.[1] as string);
}

(canBeFull ? test : test.skip)('many runs leak no processes, descriptors, files, cgroups or memory', async () => {
  const folder = join(worker.data, 'worker');
  const first = Number(readFileSync(join(folder, 'user-block'), 'utf8'));
  // The pool of a worker with 4 slots has fewer processes than this.
  const users = { first, last: first + 63 };
  const look = (): Promise<MachineUse> => machineUse(worker.pid, worker.data, users, cgroupNames(folder, '').prefix);
  await run(FIRST_RUNS);
  const { max } = parkedCount('nodejs', {
    cores: availableParallelism(),
    memoryBytes: new MachineMemory().total,
    slots: SLOTS,
  });
  const steadyUse = await steady(max, look);
  const before = {
    ...steadyUse,
    files: steadyUse.files + NEW_SLOTS,
    groups: steadyUse.groups + NEW_SLOTS * GROUPS_OF_SLOT,
  };
  const memoryBefore = await memory();
  await run(RUNS - FIRST_RUNS);
  await backTo(before, look);
  const { rss, heapUsed } = await memory();
  expect((heapUsed - memoryBefore.heapUsed) / MB).toBeLessThan(HEAP_GROWTH_MB);
  expect((rss - memoryBefore.rss) / MB).toBeLessThan(MEMORY_GROWTH_MB);
  expect(platform.hellos).toHaveLength(1);
});
