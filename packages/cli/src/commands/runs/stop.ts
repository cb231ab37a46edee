import { isEnded, type Trawl, TrawlError, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { UUID } from '../../remote-run/find-run.js';
import { connect } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { progress } from '../../terminal/progress.js';

export interface StopOptions {
  /** Stop all live runs of this skript. */
  skript?: string;
  dryRun?: boolean;
}

/** Stops a run, or all live runs of a skript. Waits until they have ended, so that the skript can be started again. */
export default async function stop(
  named: string | undefined,
  { skript, dryRun }: StopOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const trawl = await connect(context);
  const isRun = named !== undefined && UUID.test(named);
  const query = isRun
    ? { execution_id: named }
    : { skript_id: await trawl.skriptId(await skriptOrCurrent(named ?? skript)) };
  if (dryRun) return output.planned(`stop ${(await liveRuns(trawl, query)).join(', ')}`);
  const call = trawl.api.GET('/joint-api/execute-skript/single-worker/stop', { params: { query } });
  const stopped = await unwrap(call).catch(error => {
    throw error instanceof TrawlError && error.code === 'no_live_run' ? nothingToStop() : error;
  });
  const ids = stopped.map(run => run.id);
  for (const run of ids) await progress(output, 'Stopping', trawl.runById(run).wait());
  output.result({ stopped: ids }, ids.map(run => `Stopped ${run}`).join('\n'));
}

/** Returns the ids of the live runs that match. */
async function liveRuns(trawl: Trawl, { execution_id, skript_id }: { execution_id?: string; skript_id?: string }) {
  const runs =
    execution_id === undefined ? await runsOf(trawl, skript_id) : [await trawl.runById(execution_id).execution()];
  const live = runs.filter(run => !isEnded(run)).map(({ id }) => id);
  if (live.length > 0) return live;
  throw nothingToStop();
}

const nothingToStop = () => new Failure('There is no live run to stop.', EXIT.notFound);

async function runsOf({ api }: Trawl, skript_id: string | undefined) {
  const query = { skript_id, sort: '-created_at', limit: 1_000 };
  return (await unwrap(api.GET('/joint-api/skript-execution/list', { params: { query } }))).items;
}
