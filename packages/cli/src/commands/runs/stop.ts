import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { progress } from '../../terminal/progress.js';

export interface StopOptions {
  /** Stop all live runs of this skript. */
  skript?: string;
}

/** Stops a run, or all live runs of a skript. Waits until they have ended, so that the skript can be started again. */
export default async function stop(id: string | undefined, { skript }: StopOptions, context: Context): Promise<void> {
  const trawl = await connect(context);
  const query =
    id === undefined ? { skript_id: await trawl.skriptId(await skriptOrCurrent(skript)) } : { execution_id: id };
  const stopped = await unwrap(trawl.api.GET('/joint-api/execute-skript/single-worker/stop', { params: { query } }));
  const ids = stopped.map(run => run.id);
  for (const run of ids) await progress(context.output, 'Stopping', trawl.runById(run).wait());
  context.output.result({ stopped: ids }, ids.map(run => `Stopped ${run}`).join('\n'));
}
