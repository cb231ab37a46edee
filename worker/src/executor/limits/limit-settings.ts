import type { Environment } from '@trawl/contracts';
import type { LimitKind, LimitReached, RunLimits } from '../../process/run-process.js';

const SERVER: RunLimits = { memoryMb: 512, cpuS: 600, processes: 128, files: 10_000, openFiles: 2_048, diskMb: 256 };

/**
 * The limits of a run when the worker's settings do not change them. They are higher for `browser`, because a browser
 * has about ten processes with many threads.
 */
const DEFAULTS: Record<Environment, RunLimits> = {
  nodejs: SERVER,
  python: SERVER,
  browser: { memoryMb: 1_536, cpuS: 1_800, processes: 400, files: 20_000, openFiles: 8_192, diskMb: 512 },
};

export type LimitSettings = Partial<RunLimits>;

export const limitsOf = (environment: Environment, settings: LimitSettings): RunLimits => ({
  ...DEFAULTS[environment],
  ...settings,
});

/**
 * Number of open files that all processes of a run may have together. Without this limit, a run could have as many as its
 * processes times those of each, and the system has none left for other programs.
 */
export const openFilesInAll = ({ openFiles }: RunLimits): number => 8 * openFiles;

const MESSAGES: Record<LimitKind, (limits: RunLimits) => [what: string, setting: string]> = {
  cpu_limit: ({ cpuS }) => [`used more than ${cpuS} seconds of processor time`, 'TRAWL_RUN_CPU_S'],
  memory_limit: ({ memoryMb }) => [`needed more than ${memoryMb} MB of memory`, 'TRAWL_RUN_MEMORY_MB'],
  process_limit: ({ processes }) => [`had more than ${processes} processes and threads`, 'TRAWL_RUN_PROCESSES'],
  file_limit: ({ files }) => [`had more than ${files} files`, 'TRAWL_RUN_FILES'],
  open_files: limits => [
    `had more than ${limits.openFiles} open files in a process, or more than ${openFilesInAll(limits)} in all`,
    'TRAWL_RUN_OPEN_FILES',
  ],
  disk_limit: ({ diskMb }) => [`wrote more than ${diskMb} MB to its disk`, 'TRAWL_RUN_DISK_MB'],
};

export function limitReached(kind: LimitKind, limits: RunLimits): LimitReached {
  const [what, setting] = MESSAGES[kind](limits);
  const code = kind === 'open_files' ? 'file_limit' : kind;
  return { code, text: `The run ${what}. The owner of the worker can change this limit with ${setting}.` };
}
