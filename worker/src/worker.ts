import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@trawl/contracts';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { lockFolder } from '@trawl/folder-lock';
import { type Logger, pino } from 'pino';
import { browserStarts } from './browser/browser-starts.js';
import { findChromium } from './browser/find-chromium.js';
import { Bundles } from './bundles.js';
import { CallServer } from './call-server.js';
import { Connection } from './connection.js';
import { chooseEgress } from './egress/choose-egress.js';
import { groupNames } from './executor/cgroups.js';
import { chooseExecutor } from './executor/choose-executor.js';
import { findTool } from './executor/tools.js';
import { BLOCK_SIZE, UserBlock } from './executor/user-block.js';
import { takeUpLeftRuns } from './left-runs.js';
import { Libraries, librariesFolder } from './libraries/libraries.js';
import { MachineMemory } from './machine-memory.js';
import { PlatformFiles } from './platform-files.js';
import { Pool } from './pool.js';
import { parkedCount, slotCount } from './pool-size.js';
import { ProcessMarks } from './process-marks.js';
import { removeFolder } from './remove-folder.js';
import { RunJournal } from './run-journal.js';
import { installRuntime, shareStock } from './runtime.js';
import { type CallSettings, readSettings, type Settings } from './settings.js';
import { endOnSignals, RESTART_EXIT_CODE } from './shutdown.js';
import { Slots } from './slots.js';
import { StartCalls } from './start-calls.js';
import { Watchdog } from './watchdog.js';

async function start(settings: Settings): Promise<void> {
  const log = pino({ level: settings.logLevel, base: { app: 'worker' }, timestamp: pino.stdTimeFunctions.isoTime });
  const runs = join(settings.folder, 'runs');
  const places = join(settings.folder, 'places');
  for (const folder of [runs, places]) await mkdir(folder, { recursive: true }).catch(notWritable);
  // The user of a run has to pass through these on the way to its own folder, and need not see what is in them.
  for (const folder of [settings.folder, places]) await chmod(folder, 0o711);
  await chmod(runs, 0o700);
  // Not given back before the end of this process: the runs that another worker left are taken up next, and are killed.
  lockFolder(settings.folder);
  const users = await UserBlock.claim(settings.folder);
  await Watchdog.endLeftOver(settings.folder);
  const marks = await ProcessMarks.open(join(settings.folder, 'processes'), users);
  const journal = new RunJournal(join(settings.folder, 'runs.jsonl'));
  const left = await takeUpLeftRuns({ runs, journal }, log);
  for (const place of await readdir(places)) await removeFolder(join(places, place));
  const runtime = await installRuntime(fileURLToPath(new URL('./runtime', import.meta.url)), settings.folder);
  const files = new PlatformFiles(settings.url, settings.key);
  const { librariesMb: megabytes, npmRegistry: registry } = settings;
  const libraries = await Libraries.open({ folder: settings.folder, megabytes, registry, files, log });
  await shareStock(runtime, librariesFolder(settings.folder));
  const chromium = await findChromium(settings.chromePath, cacheDir(), log);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const boot_id = randomUUID();
  const cores = availableParallelism();
  const memory = new MachineMemory();
  const count = slotCount(cores, memory.total);
  const watchdog = new Watchdog(new URL('./watchdog-process.js', import.meta.url), settings.folder, log);
  const egress = await chooseEgress({
    users,
    sandboxes: settings.sandbox === 'full' && process.platform === 'linux',
    folder: settings.folder,
    allowed: settings.egressAllow,
    findNft: () => findTool('nft', log),
    watchdog,
    log,
    lost: reason => {
      log.fatal({ reason }, 'runs can no longer be kept from private addresses; the worker ends them and starts anew');
      void slots.drain('stop').then(() => end('private addresses are open to runs', RESTART_EXIT_CODE));
    },
  });
  const executor = await chooseExecutor({
    folder: settings.folder,
    places,
    runtime,
    libraries: librariesFolder(settings.folder),
    users,
    atMost: settings.sandbox,
    limits: settings.limits,
    egress,
    chromium,
    groups: groupNames(settings.folder, boot_id),
    log,
  });
  const hasBrowser = chromium !== null && (await browserStarts(executor, chromium, settings.folder, log));
  const environments: Environment[] = hasBrowser ? ['nodejs', 'browser'] : ['nodejs'];

  let workerId: string | null = null;
  const connection = new Connection(
    settings.url,
    settings.key,
    {
      hello: () => ({
        version,
        boot_id,
        environments,
        sandbox: executor.level,
        sandbox_layers: executor.layers,
        slots: count,
        live: slots.live,
        done: slots.done,
      }),
      welcome: welcome => {
        workerId = welcome.worker_id;
        slots.welcome(welcome);
      },
      heard: at => slots.heard(at),
      load: () => ({ free: slots.free, load: (loadavg()[0] ?? 0) / cores }),
      offer: (offer, acknowledge) => {
        const answer = slots.offer(offer);
        // When the run's own process has its bundle: what the answer takes would come before the first line.
        setImmediate(() => acknowledge(answer));
      },
      control: async (control, acknowledge) => acknowledge(await slots.control(control)),
      watch: watch => slots.watch(watch),
      restart: ({ mode }, acknowledge) => {
        acknowledge({ restarting: true });
        void slots.drain(mode).then(() => end('told to restart', RESTART_EXIT_CODE));
      },
      echoRead: async ({ id, from_seq, limit }, acknowledge) => acknowledge(await slots.read(id, from_seq, limit)),
    },
    log,
  );
  const bundles = new Bundles(files);
  const pool = new Pool({
    executor,
    places: BLOCK_SIZE,
    startsAtOnce: 2 * cores,
    parked: new Map(environments.map(environment => [environment, parkedCount(environment, cores, memory.total)])),
    memory,
    marks,
    watchdog,
    log,
  });
  const slots = new Slots({ count, environments, runs, journal, pool, bundles, libraries, connection, watchdog, log });
  for (const spool of left) slots.takeUp(spool);
  const calls = settings.calls && callServer(settings.calls, settings.url, () => workerId, log);
  const end = endOnSignals(settings.supervised, log, async () => {
    // At once: no caller can hold up the runs, for which there is little time.
    await Promise.all([calls?.close(), slots.shutDown().then(() => slots.finished())]);
    connection.close();
    await egress.way?.close();
  });
  await calls?.open();
  connection.open();
}

function notWritable(error: Error): never {
  throw new Error(`${error.message}. Set TRAWL_DATA_DIR to a folder that the worker may write to.`);
}

function callServer(calls: CallSettings, url: string, workerId: () => string | null, log: Logger): CallServer {
  return new CallServer({ ...calls, starts: new StartCalls({ url, accountKey: calls.accountKey, workerId }), log });
}

try {
  await start(readSettings(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
