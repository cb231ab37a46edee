import type { Environment } from '@trawl/contracts';
import type { RunLimits } from '../process/run-process.js';

const MIB = 1024 * 1024;
/** Open files of a process, in all environments: the spawner passes one limit on to all runs. */
const OPEN_FILES = 4_096;

/** How the pool parks processes of an environment. */
interface Parking {
  /** Memory that one more parked process uses, as measured, in bytes: its own pages and those of its sandbox. */
  bytes: number;
  /** The parked processes may use at most this share of the memory. */
  memoryShare: number;
  /** Maximum number of parked processes. */
  max: number;
  /** Maximum of `ParkedCount.min`. While a core starts a process in 50 ms, runs take one every few milliseconds. */
  maxMin: number;
  /** How many stay when nobody has started a run for long. */
  asleep: number;
}

/** The worker reads these properties to run skripts in an environment. */
interface RunEnvironment {
  /** Whether the sandbox contains Chromium. */
  hasChromium: boolean;
  /** Limits of a run when the worker's settings do not change them. */
  limits: RunLimits;
  /** Memory that a run typically uses, in bytes. */
  typicalBytes: number;
  parking: Parking;
  /** How long a run whose time limit has passed may take to say where it is, in milliseconds. */
  positionGraceMs: number;
}

const ENVIRONMENTS: Partial<Record<Environment, RunEnvironment>> = {
  nodejs: {
    hasChromium: false,
    limits: { memoryMb: 512, cpuS: 600, processes: 128, files: 10_000, openFiles: OPEN_FILES, diskMb: 256 },
    // Measured: a run that sleeps uses 10 MB, one that parses pages 25 to 50.
    typicalBytes: 64 * MIB,
    parking: { bytes: 9.3 * MIB, memoryShare: 1 / 24, max: 128, maxMin: 16, asleep: 1 },
    // On a busy machine, even a run that only waits needs more than half a second.
    positionGraceMs: 1_000,
  },
  browser: {
    hasChromium: true,
    // A browser has about ten processes with many threads.
    limits: { memoryMb: 1_536, cpuS: 1_800, processes: 400, files: 20_000, openFiles: OPEN_FILES, diskMb: 512 },
    // Measured: a run with a simple page uses 115 MB.
    typicalBytes: 256 * MIB,
    // Chromium uses most of it.
    parking: { bytes: 160 * MIB, memoryShare: 1 / 8, max: 2, maxMin: 2, asleep: 0 },
    // The run also sends its page, for which the runner needs at most 2 s.
    positionGraceMs: 3_000,
  },
};

/**
 * Returns the properties of an environment.
 *
 * @throws Error if no worker can run skripts in it
 */
export function runEnvironment(name: Environment): RunEnvironment {
  const environment = ENVIRONMENTS[name];
  if (!environment) throw new Error(`Workers have no environment "${name}".`);
  return environment;
}
