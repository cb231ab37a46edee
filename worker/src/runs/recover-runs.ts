import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import * as z from 'zod';
import { removeFolder } from '../process/remove-folder.js';
import { Spool } from '../spool/spool.js';
import type { SpoolOptions } from '../spool/spool-options.js';

const idSchema = z.uuid();

type RecoveryOptions = Omit<SpoolOptions, 'failed'>;

/**
 * Opens the records of runs that an earlier start of the worker left on disk. A run without a result gets the error
 * `worker_lost`.
 *
 * @returns the records, because the platform may not have received all of them completely
 */
export async function recoverRuns(options: RecoveryOptions, log: Logger): Promise<Spool[]> {
  const spools: Spool[] = [];
  for (const name of new Set([...options.journal.left, ...(await readdir(options.runs))])) {
    if (!idSchema.safeParse(name).success) {
      await removeFolder(join(options.runs, name));
      continue;
    }
    try {
      spools.push(await recoverRun(name, options, log));
    } catch (error) {
      log.error({ execution: name, reason: String(error) }, 'failed to recover a run from disk');
    }
  }
  return spools;
}

async function recoverRun(id: string, options: RecoveryOptions, log: Logger): Promise<Spool> {
  const spool = await Spool.reopen(id, {
    ...options,
    failed: error => log.error({ execution: id, reason: String(error) }, 'failed to save the state of a run on disk'),
  });
  if (!spool.result) {
    await spool.finish({
      action: 'error',
      output: null,
      error_code: 'worker_lost',
      error_stack: 'The worker ended unexpectedly while the run was on it.',
    });
    log.warn({ execution: id }, 'run lost: the worker ended while it was running');
  }
  return spool;
}
