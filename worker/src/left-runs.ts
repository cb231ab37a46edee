import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { removeFolder } from './remove-folder.js';
import { Spool, type SpoolPlace } from './spool.js';

const idSchema = z.uuid();

type RunsPlace = Omit<SpoolPlace, 'failed'>;

/**
 * Takes up the runs that an earlier worker left, and ends those that had no result yet. What it gives has still
 * to be given to the platform.
 */
export async function takeUpLeftRuns(place: RunsPlace, log: Logger): Promise<Spool[]> {
  const spools: Spool[] = [];
  for (const name of new Set([...place.journal.left.keys(), ...(await readdir(place.runs))])) {
    if (!idSchema.safeParse(name).success) {
      await removeFolder(join(place.runs, name));
      continue;
    }
    try {
      spools.push(await takeUp(name, place, log));
    } catch (error) {
      log.error({ execution: name, reason: String(error) }, 'a run that an earlier worker left cannot be read');
    }
  }
  return spools;
}

async function takeUp(id: string, place: RunsPlace, log: Logger): Promise<Spool> {
  const spool = await Spool.reopen(id, {
    ...place,
    failed: error =>
      log.error({ execution: id, reason: String(error) }, 'what became of a run could not be kept on disk'),
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
