import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { removeFolder } from './remove-folder.js';
import { Spool } from './spool.js';

const idSchema = z.uuid();

/**
 * Takes up the runs that an earlier worker left in `runs`, and ends those that had no result yet. What it gives has still
 * to be given to the platform.
 */
export async function takeUpLeftRuns(runs: string, log: Logger): Promise<Spool[]> {
  const spools: Spool[] = [];
  for (const name of await readdir(runs)) {
    const folder = join(runs, name);
    if (!idSchema.safeParse(name).success) {
      await removeFolder(folder);
      continue;
    }
    try {
      spools.push(await takeUp(folder, name, log));
    } catch (error) {
      log.error({ execution: name, reason: String(error) }, 'a run that an earlier worker left cannot be read');
    }
  }
  return spools;
}

async function takeUp(folder: string, id: string, log: Logger): Promise<Spool> {
  const spool = await Spool.reopen(folder, id, error => {
    log.error({ execution: id, reason: String(error) }, 'the journal of a run could not be written');
  });
  if (!spool.result) {
    await spool.finish({
      action: 'error',
      output: null,
      error_code: 'worker_lost',
      error_stack: 'The worker ended unexpectedly while the run was on it.',
    });
    log.warn({ execution: id }, 'a run that was under way when the worker ended was killed');
  }
  return spool;
}
