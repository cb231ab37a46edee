import type { Context } from '../../context.js';
import { planRun, type StartOptions, startRun } from '../../remote-run/remote-run.js';
import { connect, FOLLOW_FOR_MS } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { safeJson } from '../../terminal/clean.js';
import { progress } from '../../terminal/progress.js';

/** Runs a skript on the platform and prints only its output. */
export default async function call(skript: string | undefined, options: StartOptions, context: Context): Promise<void> {
  const { output } = context;
  const trawl = await connect(context, FOLLOW_FOR_MS);
  const named = await skriptOrCurrent(skript);
  if (options.dryRun) return planRun(trawl, named, options, context);
  const run = await startRun(trawl, named, options, context);
  const value = await progress(output, 'Running', run.output());
  output.result(value, typeof value === 'string' ? value : safeJson(value, 2));
}
