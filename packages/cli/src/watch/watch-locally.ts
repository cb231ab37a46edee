import type { Context } from '../context.js';
import { openWorker, tellOfNode, tellOfSandbox } from '../local-run/open-worker.js';
import { report, type StartOptions, startLocally } from '../local-run/start-locally.js';
import { valuesFor } from '../skript-folder/default-values.js';
import { findFolder } from '../skript-folder/find-folder.js';
import { repeatOnChange } from './watcher.js';

/** Runs the skript of a folder on this computer, and again on each save. */
export async function watchLocally(options: StartOptions, context: Context): Promise<void> {
  const folder = await findFolder(options.skript);
  const worker = await openWorker(folder, context.output);
  const start = async () => {
    const values = await valuesFor(folder, options);
    const { run, files } = await startLocally(worker, folder, { ...options, ...values }, context);
    return { stop: run.stop, ended: run.ended.then(outcome => report(outcome, context)), files };
  };
  try {
    tellOfSandbox(worker, context.output);
    tellOfNode(worker, context.output);
    await repeatOnChange(folder, start, context);
  } finally {
    await worker.close();
  }
}
