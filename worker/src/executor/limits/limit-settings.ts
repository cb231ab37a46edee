import type { Environment } from '@trawl/contracts';
import { runEnvironment } from '../../environments/environments.js';
import type { LimitKind, LimitReached, RunLimits } from '../../process/run-process.js';

export type LimitSettings = Partial<RunLimits>;

/** Returns the limits of a run: those of its environment, unless the worker's settings change them. */
export const limitsOf = (environment: Environment, settings: LimitSettings): RunLimits => ({
  ...runEnvironment(environment).limits,
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
