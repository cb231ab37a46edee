import { DEFAULT_RUN_NODE, type SandboxLayer, type SandboxLevel } from '@trawl/contracts';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { findChromium } from './browser/find-chromium.js';
import { AllowList } from './egress/allow-list.js';
import { type ChosenEgress, UNFILTERED } from './egress/egress.js';
import { openProxy } from './egress/open-proxy.js';
import { cgroupNames } from './executor/cgroups/open-cgroups.js';
import { chooseExecutor } from './executor/choose-executor.js';
import type { Executor } from './executor/port/executor.js';
import { ownNode } from './executor/run-nodes.js';
import { LocalLibraries } from './local/local-libraries.js';
import { LocalRun, type LocalRunOptions } from './local/local-run.js';
import { onlyErrors, warningLog } from './local/log.js';
import { makeOwnFolder, type OwnFolder } from './local/own-folder.js';
import { Pool } from './pool/pool.js';
import { closeInherited } from './process/inherited-descriptors.js';
import { UserBlock } from './process/user-block.js';
import { installRuntime } from './runtime.js';
import type { RunSettings } from './settings.js';
import { Watchdog } from './watchdog/watchdog.js';

export type { LocalOutcome, LocalRun } from './local/local-run.js';
export { checkRecord } from './records/run-record.js';
export { readRunSettings } from './settings.js';

export interface LocalWorkerOptions {
  /** Folder of the built runtime: the runner and the built-in libraries. */
  runtime: string;
  /** The skript's own `node_modules`, which may be missing. */
  nodeModules: string;
  settings: RunSettings;
  /** Tells the user about a problem that does not end the run. */
  warn: (text: string) => void;
}

interface Parts {
  own: OwnFolder;
  executor: Executor;
  egress: ChosenEgress;
  pool: Pool;
  libraries: LocalLibraries;
  chromium: string | null;
}

/**
 * A worker without a platform: runs the skript of one folder on this computer, one run at a time.
 * See docs/decisions/0210-local-runs-are-runs-of-a-worker.md.
 */
export class LocalWorker {
  private constructor(private readonly parts: Parts) {}

  /**
   * Prepares the strongest sandbox of this computer.
   *
   * @throws Error that says why this computer cannot start a process for a run
   */
  static async open({ runtime: built, nodeModules, settings, warn }: LocalWorkerOptions): Promise<LocalWorker> {
    closeInherited();
    const own = await makeOwnFolder(cacheDir());
    const folder = own.path;
    const log = warningLog(warn);
    const users = await UserBlock.claim(folder);
    // The user of a run may not be able to read the folders of the user of this process.
    const runtime = users ? await installRuntime(built, folder) : built;
    const libraries = await LocalLibraries.open({ folder, runtime, nodeModules, isCopied: users !== null });
    const { chromium } = await findChromium(settings.chromePath, null, log);
    const allowList = new AllowList(settings.egressAllow, (name, reason) =>
      log.warn({ name, reason }, 'lookup of a name in TRAWL_EGRESS_ALLOW failed'),
    );
    // Always use the proxy, because a command must not change the network rules of the computer.
    const egress: ChosenEgress =
      process.platform === 'linux'
        ? await openProxy({ users, folder, slots: 1, allowList, log })
        : { filter: null, note: UNFILTERED };
    const executor = await chooseExecutor({
      folder,
      processFolders: folder,
      nodes: ownNode(),
      runtime,
      libraries: libraries.folder,
      libraryMounts: libraries.mounts,
      users,
      atMost: 'full',
      limits: settings.limits,
      egress,
      chromium,
      cgroups: cgroupNames(folder, 'local'),
      log: onlyErrors(log),
    });
    const pool = new Pool({
      executor,
      size: 1,
      startsAtOnce: 1,
      parked: new Map(),
      memory: { free: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY },
      cpu: { read: () => 1 },
      registry: { add: () => {}, remove: () => {} },
      watchdog: isSandbox(executor)
        ? // The sandbox ends with this process.
          { watch: () => {}, ended: () => {} }
        : new Watchdog(new URL('./watchdog/watchdog-process.js', import.meta.url), folder, log),
      log,
    });
    const { executable = null } = chromium ?? {};
    return new LocalWorker({ own, executor, egress, pool, libraries, chromium: executable });
  }

  /** The isolation of runs on this computer. */
  get sandbox(): { level: SandboxLevel; layers: SandboxLayer[] } {
    const { level, layers } = this.parts.executor;
    return { level, layers };
  }

  /** Versions of Node: that of runs on this computer, and the major version of runs on the platform. */
  get node(): { own: string; platform: number } {
    return { own: process.versions.node, platform: DEFAULT_RUN_NODE };
  }

  /** Path of the Chromium for runs; null if this computer has none. */
  get chromium(): string | null {
    return this.parts.chromium;
  }

  /** Starts a run. Call it again only when the run before has ended. */
  start(options: LocalRunOptions): LocalRun {
    const { own, pool, libraries } = this.parts;
    return new LocalRun(options, { folder: own.path, pool, libraries });
  }

  /** Ends what this worker has started, and removes its files. Call it when the last run has ended. */
  async close(): Promise<void> {
    const { own, pool, egress } = this.parts;
    await pool.close();
    await egress.filter?.close();
    await own.remove();
  }
}

const isSandbox = ({ layers }: Executor): boolean => layers.some(({ name, holds }) => name === 'namespaces' && holds);
