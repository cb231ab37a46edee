import type { Context } from '../../context.js';
import { openWorker, tellOfNode, tellOfSandbox } from '../../local-run/open-worker.js';
import { report, type StartOptions, startLocally } from '../../local-run/start-locally.js';
import { valuesFor } from '../../skript-folder/default-values.js';
import { findFolder } from '../../skript-folder/find-folder.js';

/** Runs a skript on this computer. */
export default async function start(options: StartOptions, context: Context): Promise<void> {
  const folder = await findFolder(options.skript);
  const worker = await openWorker(folder, context.output);
  try {
    tellOfSandbox(worker, context.output);
    tellOfNode(worker, context.output);
    const values = await valuesFor(folder, options);
    const { run } = await startLocally(worker, folder, { ...options, ...values }, context);
    process.on('SIGINT', run.stop).on('SIGTERM', run.stop);
    report(await run.ended, context);
  } finally {
    await worker.close();
  }
}
