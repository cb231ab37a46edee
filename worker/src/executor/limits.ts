import type { Environment, SandboxLimit } from '@trawl/contracts';
import type { LimitReached } from './executor.js';

/** What one run may use, all its processes together. */
export interface RunLimits {
  memoryMb: number;
  /** Seconds of processor time. */
  cpuS: number;
  /** Processes and threads. */
  processes: number;
  /** Files on disk; also how many each of its processes may have open. */
  files: number;
  diskMb: number;
}

const SERVER: RunLimits = { memoryMb: 512, cpuS: 600, processes: 128, files: 10_000, diskMb: 256 };

/** Where no setting says otherwise. A browser is some ten processes with many threads. */
const DEFAULTS: Record<Environment, RunLimits> = {
  nodejs: SERVER,
  python: SERVER,
  browser: { memoryMb: 1_536, cpuS: 1_800, processes: 400, files: 20_000, diskMb: 512 },
};

export type LimitSettings = Partial<RunLimits>;

export const limitsOf = (environment: Environment, settings: LimitSettings): RunLimits => ({
  ...DEFAULTS[environment],
  ...settings,
});

/** The most files that any environment lets a process have open. */
export const mostFiles = (settings: LimitSettings): number =>
  Math.max(...Object.values(DEFAULTS).map(limits => settings.files ?? limits.files));

const WORDS: Record<SandboxLimit, (limits: RunLimits) => [what: string, setting: string]> = {
  cpu_limit: ({ cpuS }) => [`used more than ${cpuS} seconds of processor time`, 'TRAWL_RUN_CPU_S'],
  memory_limit: ({ memoryMb }) => [`needed more than ${memoryMb} MB of memory`, 'TRAWL_RUN_MEMORY_MB'],
  process_limit: ({ processes }) => [`had more than ${processes} processes and threads`, 'TRAWL_RUN_PROCESSES'],
  file_limit: ({ files }) => [`had more than ${files} files`, 'TRAWL_RUN_FILES'],
  disk_limit: ({ diskMb }) => [`wrote more than ${diskMb} MB to its disk`, 'TRAWL_RUN_DISK_MB'],
};

export function limitReached(code: SandboxLimit, limits: RunLimits): LimitReached {
  const [what, setting] = WORDS[code](limits);
  return { code, text: `The run ${what}. The owner of the worker may set another limit with ${setting}.` };
}
