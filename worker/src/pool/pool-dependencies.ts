import type { Environment } from '@trawl/contracts';
import type { Logger } from 'pino';
import type { Executor } from '../executor/port/executor.js';
import type { MachineMemory } from '../machine/machine-memory.js';
import type { CpuMeter } from '../machine/machine-usage.js';
import type { ProcessRegistry } from '../process/process-registry.js';
import type { Watchdog } from '../watchdog/watchdog.js';
import type { ParkedCount } from './pool-size.js';

export interface PoolDependencies {
  executor: Executor;
  /** Maximum number of processes at a time. */
  size: number;
  /**
   * Maximum number of processes of one environment that are being started at the same time. Each environment has its
   * own limit, so that slow starts of browsers do not delay other runs.
   */
  startsAtOnce: number;
  /** For each environment that the worker has. The processes above the minimum are spare. */
  parked: Map<Environment, ParkedCount>;
  memory: Pick<MachineMemory, 'free' | 'total'>;
  cpu: Pick<CpuMeter, 'read'>;
  registry: Pick<ProcessRegistry, 'add' | 'remove'>;
  watchdog: Pick<Watchdog, 'watch' | 'ended'>;
  log: Logger;
}
