import { LIMITS, RUN_ERRORS, type RunErrorCode, SILENCE_MS } from '@trawl/contracts';
import { cutText } from './cut-text.js';
import type { ProcessEnd } from './executor/executor.js';
import { limitReached, type RunLimits } from './executor/limits.js';
import { LibrariesFailed } from './libraries/libraries.js';
import { FileUnavailable } from './platform-files.js';
import { wellFormed } from './run-output.js';
import type { Result } from './spool-journal.js';

/** How a run ended, as its result on disk has it. */
export type Outcome = Pick<Result, 'action' | 'output' | 'error_code' | 'error_stack'>;

export function notBegun(error: unknown): Outcome {
  if (error instanceof FileUnavailable) return failure('bundle_unavailable', error.message);
  if (error instanceof LibrariesFailed) return failure('libraries_failed', error.message);
  return failure('start_failed', `${RUN_ERRORS.start_failed} ${String(error)}`);
}

export const STOPPED: Outcome = { action: 'stop', output: null, error_code: null, error_stack: null };

const KEPT_MB = LIMITS.echoBytesPerRun / 1024 / 1024;
export const FLOODED = `The run went on sending echoes when the ${KEPT_MB} MB that are kept of a run had been sent: another ${KEPT_MB} MB. It was ended there. No setting raises this limit; echo less, and keep what is large in storage.`;

export const failure = (code: RunErrorCode, text: string): Outcome => ({
  action: 'error',
  output: null,
  error_code: code,
  error_stack: text,
});

export const SILENT = failure(
  'worker_lost',
  `The platform was not heard of for ${SILENCE_MS / 1_000} seconds. A run that may be tried again does not go on without it, so that no two tries run at once.`,
);

/** Of a process that ended before main.js returned, by what it printed last and what it said of its exit. */
export function endOf(
  { code, signal }: ProcessEnd,
  limits: RunLimits,
  { printed, exiting }: { printed: string; exiting: string },
): Outcome {
  if (printed.includes('JavaScript heap out of memory')) {
    return failure('memory_limit', limitReached('memory_limit', limits).text);
  }
  const how = signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
  return failure('process_ended', `The process of the run ${how} before main.js returned.${exiting && `\n${exiting}`}`);
}

// PostgreSQL's text holds no NUL either.
export const fitStack = (stack: string): string =>
  cutText(wellFormed(stack.replaceAll('\0', '\uFFFD')), LIMITS.errorStackChars);
