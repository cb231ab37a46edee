import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Environment, PROTOCOL, type RestartMode } from '@trawl/contracts';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { lockFolder } from '@trawl/folder-lock';
import { type Logger, pino } from 'pino';
import { probeBrowser } from './browser/browser-probe.js';
import { ChromiumUpdates } from './browser/chromium-updates.js';
import { isFromDebian } from './browser/debian-chromium.js';
import { failedBrowser, rememberFailed } from './browser/failed-browser.js';
import { findChromium } from './browser/find-chromium.js';
import { CallServer } from './calls/call-server.js';
import { StartCalls } from './calls/start-calls.js';
import { chooseEgress } from './egress/choose-egress.js';
import { PROXY_SLOTS } from './egress/proxy-egress.js';
import { cgroupNames } from './executor/cgroups/open-cgroups.js';
import { chooseExecutor } from './executor/choose-executor.js';
import { findRunNodes } from './executor/run-nodes.js';
import { findTool } from './executor/tools.js';
import { RESTART_EXIT_CODE } from './exit-codes.js';
import { Installer } from './libraries/installer.js';
import { Libraries, librariesFolder } from './libraries/libraries.js';
import { DiskSpace } from './machine/disk-space.js';
import { MachineMemory } from './machine/machine-memory.js';
import { CpuMeter, UsageMeter } from './machine/machine-usage.js';
import { BootRecord } from './platform/boot-record.js';
import { Bundles } from './platform/bundles.js';
import { Connection } from './platform/connection.js';
import { PlatformFiles } from './platform/platform-files.js';
import { PlatformRecords } from './platform/platform-records.js';
import { Pool } from './pool/pool.js';
import { parkedCount } from './pool/pool-size.js';
import { ProcessRegistry } from './process/process-registry.js';
import { removeFolder } from './process/remove-folder.js';
import { UserBlock } from './process/user-block.js';
import { Admission } from './runs/admission.js';
import { recoverRuns } from './runs/recover-runs.js';
import { maxSlotCount, SPARE_PROCESSES, slotCount } from './runs/slot-count.js';
import { Slots } from './runs/slots.js';
import { installRuntime, shareStock } from './runtime.js';
import { type CallSettings, readSettings, type Settings } from './settings.js';
import { endOnSignals } from './shutdown.js';
import { RunJournal } from './spool/run-journal.js';
import { Watchdog } from './watchdog/watchdog.js';

async function start(settings: Settings): Promise<void> {
  const { folder } = settings;
  const log = pino({ level: settings.logLevel, base: { app: 'worker' }, timestamp: pino.stdTimeFunctions.isoTime });
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const stopTracing = settings.tracing ? await startTracing(version, log) : undefined;
  const { runs, sandboxes, users, registry, journal, left } = await takeOverFolder(folder, log);
  const runtime = await installRuntime(fileURLToPath(new URL('./runtime', import.meta.url)), folder);
  const files = new PlatformFiles(settings.url, settings.key);
  const installer = new Installer(log);
  const libraries = await Libraries.open({
    folder,
    megabytes: settings.librariesMb,
    files: settings.librariesFiles,
    registry: settings.npmRegistry,
    platform: files,
    installer,
    log,
  });
  await shareStock(runtime, librariesFolder(folder));
  const nodes = await findRunNodes(folder, log);
  const boot_id = randomUUID();
  const boots = new BootRecord(folder, log);
  const cores = availableParallelism();
  const memory = new MachineMemory();
  const usage = new UsageMeter(memory, await DiskSpace.watch(folder, settings.diskWarnBytes, log));
  const watchdog = new Watchdog(new URL('./watchdog/watchdog-process.js', import.meta.url), folder, log);
  // The first start unpacks Chromium and downloads tools, which takes seconds.
  const [{ chromium, isOurs }, egress] = await Promise.all([
    findChromium(settings.chromePath, cacheDir(), log, await failedBrowser(folder)),
    chooseEgress({
      users,
      sandboxes: settings.sandbox === 'full' && process.platform === 'linux',
      folder,
      allowed: settings.egressAllow,
      findTool: name => findTool(name, log),
      onRemoval: removal => watchdog.setNetworks(removal),
      log,
    }),
  ]);
  const executor = await chooseExecutor({
    folder,
    processFolders: sandboxes,
    nodes,
    runtime,
    libraries: librariesFolder(folder),
    users,
    atMost: settings.sandbox,
    limits: settings.limits,
    egress,
    chromium,
    cgroups: cgroupNames(folder, boot_id),
    log,
  });
  installer.confineBy(() => executor.background());
  const browserVersion = chromium && (await probeBrowser(executor, chromium, folder, log));
  if (chromium && !browserVersion && isFromDebian(chromium)) {
    await rememberFailed(folder, chromium.executable);
    log.warn({ chromium: chromium.executable }, 'restarting with another Chromium');
    process.exit(RESTART_EXIT_CODE);
  }
  const environments: Environment[] = browserVersion ? ['nodejs', 'browser'] : ['nodejs'];

  let workerId: string | null = null;
  const key = settings.key === 'stdin' ? await keyFromSupervisor() : settings.key;
  files.useKey(key);
  const connection = new Connection(
    settings.url,
    key,
    {
      hello: () => ({
        protocol: PROTOCOL,
        version,
        boot_id,
        previous_boot_id: boots.previous,
        environments,
        chromium: browserVersion,
        nodes: nodes.versions,
        sandbox: executor.level,
        sandbox_layers: executor.layers,
        slots: slots.count,
        live: slots.live,
        done: slots.done,
      }),
      welcome: welcome => {
        workerId = welcome.worker_id;
        files.useKey(welcome.key ?? key);
        boots.save(boot_id);
        slots.welcome(welcome);
      },
      superseded: () => slots.superseded(),
      answered: (sentAt, silenceMs) => slots.platformAnswered(sentAt, silenceMs),
      load: () => ({
        ...slots.capacity,
        load: (loadavg()[0] ?? 0) / cores,
        usage: usage.read(),
        writes: slots.reports(),
      }),
      offer: (offer, acknowledge) => {
        const answer = slots.offer(offer);
        // Send the answer later, so that it does not delay the sending of the bundle to the run's process.
        setImmediate(() => acknowledge(answer));
      },
      control: async (control, acknowledge) => acknowledge(await slots.control(control)),
      answer: (answer, acknowledge) => acknowledge(slots.answer(answer)),
      watch: watch => slots.watch(watch),
      restart: ({ mode }, acknowledge) => {
        acknowledge({ restarting: true });
        restart(mode, 'restart requested');
      },
      echoRead: async ({ id, from_seq, limit }, acknowledge) => acknowledge(await slots.read(id, from_seq, limit)),
      exchangesRead: async (request, acknowledge) => acknowledge(await slots.readExchanges(request)),
    },
    log,
  );
  // Slots without a user id of their own, or with the proxy, are few.
  const processes = egress.filter?.kind === 'proxy' ? PROXY_SLOTS : (users?.size ?? PROXY_SLOTS);
  const count = slotCount(settings.slots, memory.total, processes);
  const max = maxSlotCount(count, processes);
  if (settings.slots !== null && settings.slots > count) {
    log.warn({ slots: count, wanted: settings.slots }, 'TRAWL_SLOTS is too high for the user ids of this machine');
  }
  const bundles = new Bundles(files);
  const records = new PlatformRecords(files);
  const pool = new Pool({
    executor,
    size: max + SPARE_PROCESSES,
    startsAtOnce: 2 * cores,
    parked: new Map(
      environments.map(environment => [
        environment,
        parkedCount(environment, { cores, memoryBytes: memory.total, slots: count }),
      ]),
    ),
    memory,
    cpu: new CpuMeter(),
    registry,
    watchdog,
    log,
  });
  const slots = new Slots({
    count,
    max,
    admission: new Admission(memory),
    environments,
    runs,
    journal,
    pool,
    bundles,
    records,
    libraries,
    connection,
    watchdog,
    log,
  });
  for (const spool of left) slots.recover(spool);
  const calls = settings.calls && callServer(settings.calls, settings.url, () => workerId, log);
  const updates =
    isOurs && settings.fetchChromium
      ? new ChromiumUpdates({
          cache: cacheDir(),
          version: browserVersion,
          isIdle: () => slots.live.length === 0,
          onNewer: () => restart('drain', 'a newer Chromium is there'),
          log,
        })
      : null;
  const restart = (mode: RestartMode, reason: string) =>
    void slots.drain(mode).then(() => end(reason, RESTART_EXIT_CODE));
  const end = endOnSignals(settings.supervised, log, async () => {
    // Do both at the same time, because calls that are still open must not delay the end of the runs.
    await Promise.all([calls?.close(), slots.shutDown().then(() => slots.delivered())]);
    updates?.close();
    connection.close();
    await egress.filter?.close();
    await stopTracing?.();
  });
  await calls?.open();
  connection.open();
  updates?.open();
}

/**
 * Locks the worker's folder, kills the processes that an earlier start of the worker left, and recovers the runs of
 * that start.
 */
async function takeOverFolder(folder: string, log: Logger) {
  const runs = join(folder, 'runs');
  const sandboxes = join(folder, 'places');
  for (const path of [runs, sandboxes]) await mkdir(path, { recursive: true }).catch(notWritable);
  // The user of a run must be able to pass through these folders to its own folder, but not to list them.
  for (const path of [folder, sandboxes]) await chmod(path, 0o711);
  await chmod(runs, 0o700);
  // Keep the folder locked until this process ends. The code below kills all runs in this folder, so no other worker
  // may be using it.
  lockFolder(folder);
  const users = await UserBlock.claim(folder);
  await Watchdog.killLeftOver(folder);
  const registry = await ProcessRegistry.open(join(folder, 'processes'), users);
  const journal = new RunJournal(join(folder, 'runs.jsonl'));
  const left = await recoverRuns({ runs, journal }, log);
  for (const name of await readdir(sandboxes)) await removeFolder(join(sandboxes, name));
  return { runs, sandboxes, users, registry, journal, left };
}

/** Loads OpenTelemetry only here, because it costs memory and time at the start. */
async function startTracing(version: string, log: Logger): Promise<() => Promise<void>> {
  const tracing = await import('@trawl/tracing/start-tracing');
  return tracing.startTracing({
    service: 'trawl-worker',
    version,
    onProblem: reason => log.warn({ reason }, 'sending traces failed'),
  });
}

/** The supervisor starts the worker before the platform, so that the worker tests its machine meanwhile. */
async function keyFromSupervisor(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  if (line === undefined) process.exit(0); // The supervisor is gone.
  lines.close();
  return line;
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
