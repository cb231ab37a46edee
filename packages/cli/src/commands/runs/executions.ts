import { type ListedExecution, unwrap } from '@trawl/client';
import type { VerdictLevel } from '@trawl/contracts';
import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { readLimit } from '../../terminal/limit.js';
import { localTime } from '../../terminal/local-time.js';

/** Most runs that the API lists at once. */
const MAX_RUNS = 1_000;

export interface ExecutionsOptions {
  limit: string;
  verdict?: VerdictLevel;
}

/** Lists runs, the latest first: all, or those of one skript. */
export default async function executions(
  skript: string | undefined,
  { limit, verdict }: ExecutionsOptions,
  context: Context,
): Promise<void> {
  const count = readLimit(limit, MAX_RUNS);
  const trawl = await connect(context);
  const skript_id = skript === undefined ? undefined : await trawl.skriptId(skript);
  const query = { skript_id, verdict, limit: count, sort: '-created_at' };
  const { items } = await unwrap(trawl.api.GET('/joint-api/skript-execution/list', { params: { query } }));
  const columns = {
    ID: (run: ListedExecution) => run.id,
    SKRIPT: (run: ListedExecution) => run.skript.name,
    STATE: (run: ListedExecution) => stateOf(run),
    CREATED: (run: ListedExecution) => localTime(run.created_at),
    WORKER: (run: ListedExecution) => run.worker?.name ?? '',
  };
  context.output.table(items, columns, verdict ? 'No run has this verdict.' : 'There are no runs yet.');
}

function stateOf({ action, error_code, waiting_for, verdict }: ListedExecution): string {
  if (waiting_for) {
    const { reason, place, of } = waiting_for;
    return `waiting: ${reason}${place ? ` (place ${place} of ${of})` : ''}`;
  }
  if (error_code) return `${action}: ${error_code}`;
  const { level, accepted_at } = verdict ?? {};
  return (level === 'broken' || level === 'unusual') && !accepted_at ? `${action}: rows ${level}` : action;
}
