import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ProcessMark } from './executor/executor.js';
import { killLeftOver } from './executor/process-table.js';
import type { UserBlock } from './executor/user-block.js';
import { removeFolder } from './remove-folder.js';
import { PROCESS_FILE } from './run.js';
import { Spool } from './spool.js';

const idSchema = z.uuid();

/**
 * Takes up the runs that an earlier worker left in `runs`: kills what still runs of them, and ends those that had no
 * result yet. What it gives has still to be given to the platform.
 */
export async function takeUpLeftRuns(runs: string, users: UserBlock | null, log: Logger): Promise<Spool[]> {
  const spools: Spool[] = [];
  for (const name of await readdir(runs)) {
    const folder = join(runs, name);
    if (!idSchema.safeParse(name).success) {
      await removeFolder(folder);
      continue;
    }
    try {
      spools.push(await takeUp(folder, name, users, log));
    } catch (error) {
      log.error({ execution: name, reason: String(error) }, 'a run that an earlier worker left cannot be read');
    }
  }
  return spools;
}

async function takeUp(folder: string, id: string, users: UserBlock | null, log: Logger): Promise<Spool> {
  const mark = await markOf(folder);
  if (mark) {
    // A user id that another worker has by now would take its runs along.
    const uid = mark.uid !== null && users?.has(mark.uid) ? mark.uid : null;
    await killLeftOver({ ...mark, uid });
  }
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

async function markOf(folder: string): Promise<ProcessMark | null> {
  const text = await readFile(join(folder, PROCESS_FILE), 'utf8').catch(() => null);
  // Cut when the worker was killed while writing it; the process had no bundle by then and ended with its pipe.
  return text?.endsWith('}') ? (JSON.parse(text) as ProcessMark) : null;
}
