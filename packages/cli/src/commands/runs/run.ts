import type { Run } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure, Interrupted } from '../../failure.js';
import { follow, planRun, report, type StartOptions, startRun } from '../../remote-run/remote-run.js';
import { connect, FOLLOW_FOR_MS } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';

export interface RunOptions extends StartOptions {
  /** Upload the current folder and run it again on each change. */
  watch?: boolean;
  /** Do not wait for the end. */
  detach?: boolean;
}

/** Runs a skript on the platform and shows its echoes. */
export default async function run(skript: string | undefined, options: RunOptions, context: Context): Promise<void> {
  if (options.watch) {
    if (options.dryRun) throw new Failure('Use either --watch or --dry-run.', EXIT.usage);
    const { watchRemotely } = await import('../../watch/watch-remotely.js');
    return watchRemotely(options, context);
  }
  const trawl = await connect(context, FOLLOW_FOR_MS);
  const named = await skriptOrCurrent(skript);
  if (options.dryRun) return planRun(trawl, named, options, context);
  const started = await startRun(trawl, named, options, context);
  const { id } = await started.started;
  if (options.detach) {
    context.output.note(`Started the run. Its echoes: trawl logs -f ${id}`);
    return context.output.result(await started.started, id);
  }
  context.output.note(`Run ${id}. Ctrl-C stops it.`);
  const isStopAsked = stopOnSignal(started, context);
  const execution = await follow(trawl, started, context);
  if (isStopAsked() && execution.action === 'stop') throw new Interrupted();
  report(execution, context);
}

/**
 * Stops the run on the first Ctrl-C. A second one ends this program, and the run continues. Returns a function that
 * tells whether there was one.
 */
function stopOnSignal(run: Run, { output }: Context): () => boolean {
  let isAsked = false;
  const stop = () => {
    if (isAsked) process.exit(EXIT.interrupted);
    isAsked = true;
    output.note('Stopping the run. Press Ctrl-C again to leave it running.');
    run.stop().catch(error => output.error(`The run was not stopped: ${error.message}`));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return () => isAsked;
}
