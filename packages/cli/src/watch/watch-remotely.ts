import type { Context } from '../context.js';
import { follow, report, type StartOptions, startRun } from '../remote-run/remote-run.js';
import { connect, FOLLOW_FOR_MS } from '../session/connect.js';
import { findFolder } from '../skript-folder/find-folder.js';
import { checkLimits, readSkriptFolder } from '../skript-folder/read-folder.js';
import { uploadFolder } from '../skript-folder/upload-folder.js';
import { repeatOnChange } from './watcher.js';

/** Uploads the skript of a folder and runs it on the platform, and again on each save. */
export async function watchRemotely(options: StartOptions & { skript?: string }, context: Context): Promise<void> {
  const folder = await findFolder(options.skript);
  const trawl = await connect(context, FOLLOW_FOR_MS);
  const start = async () => {
    const local = await readSkriptFolder(folder);
    checkLimits(local);
    const { skript, changes } = await uploadFolder(trawl, local, {});
    for (const line of changes) context.output.note(`  ${line}`);
    const run = await startRun(trawl, skript.id ?? skript.title, options, context);
    const { id } = await run.started;
    context.output.note(`Run ${id}.`);
    return {
      stop: () => {
        run.stop().catch(error => context.output.error(`The run was not stopped: ${error.message}`));
      },
      ended: follow(trawl, run, context).then(execution => report(execution, context)),
      files: null,
    };
  };
  await repeatOnChange(folder, start, context);
}
