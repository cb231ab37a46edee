import { LIMITS, RUN_ERRORS, type RunErrorCode } from '@trawl/contracts';
import { limitReached } from '../executor/limits/limit-settings.js';
import { LibrariesFailed } from '../libraries/libraries.js';
import { FileUnavailable } from '../platform/platform-files.js';
import { exitText } from '../process/exit-text.js';
import type { ProcessEnd, RunLimits } from '../process/run-process.js';
import { cutText } from '../protocol/cut-text.js';
import { RecordRefused } from '../records/record-format.js';
import type { Result } from '../spool/result.js';
import { wellFormed } from './output-check.js';

/** How a run ended, in the form in which the run's result is stored on disk. */
export type Outcome = Pick<Result, 'action' | 'output' | 'error_code' | 'error_stack'>;

export const failure = (code: RunErrorCode, text: string): Outcome => ({
  action: 'error',
  output: null,
  error_code: code,
  error_stack: text,
});

export const STOPPED: Outcome = { action: 'stop', output: null, error_code: null, error_stack: null };

const KEPT_MB = LIMITS.echoBytesPerRun / 1024 / 1024;
export const FLOODED = failure(
  'echo_limit',
  `The run sent another ${KEPT_MB} MB of echoes after the ${KEPT_MB} MB that Trawl keeps of a run; the worker ended it. No setting raises this limit: echo less, and save large values in storage.`,
);

/**
 * Returns the outcome of a run during which the platform was silent for too long. The platform may have started the
 * run's next attempt on another worker.
 */
export const platformSilent = (silenceMs: number): Outcome =>
  failure(
    'worker_lost',
    `The platform did not answer the worker for ${silenceMs / 1_000} seconds, so the worker ended this run. The platform may already have started its next attempt elsewhere, and two attempts must never run at once.`,
  );

/** Returns the outcome of a run that failed before the first line of the skript was executed. */
export function startFailure(error: unknown): Outcome {
  if (error instanceof FileUnavailable) return failure('bundle_unavailable', error.message);
  if (error instanceof LibrariesFailed) return failure('libraries_failed', error.message);
  if (error instanceof RecordRefused)
    return failure('start_failed', `Trawl cannot replay this record. ${error.message}`);
  return failure('start_failed', `${RUN_ERRORS.start_failed} ${String(error)}`);
}

/**
 * Returns the outcome of a run whose process ended before main.js returned.
 *
 * @param said.printed the last lines that the process printed
 * @param said.exiting the place where the skript called process.exit; empty if it did not call it
 */
export function processEnded(
  end: ProcessEnd,
  limits: RunLimits,
  { printed, exiting }: { printed: string; exiting: string },
): Outcome {
  if (printed.includes('JavaScript heap out of memory')) {
    return failure('memory_limit', limitReached('memory_limit', limits).text);
  }
  return failure(
    'process_ended',
    `The process of the run ${exitText(end)} before main.js returned.${exiting && `\n${exiting}`}`,
  );
}

/**
 * Cuts a stack to its maximum length. Replaces the characters that PostgreSQL's type `text` cannot store: NUL and lone
 * surrogates.
 */
export const storableStack = (stack: string): string =>
  cutText(wellFormed(stack.replaceAll('\0', '\uFFFD')), LIMITS.errorStackChars);
