import type { Context } from '../../context.js';
import { report, type StartOptions, startLocally } from '../../local-run/start-locally.js';
import { valuesFor } from '../../skript-folder/default-values.js';
import { findFolder } from '../../skript-folder/find-folder.js';

/** Runs a skript on this computer. */
export default async function start(options: StartOptions, context: Context): Promise<void> {
  const folder = await findFolder(options.skript);
  const values = await valuesFor(folder, options);
  const { run } = await startLocally(folder, { ...options, ...values }, context);
  const stop = () => run.stop();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  report(await run.ended, context);
}
