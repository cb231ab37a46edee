import { type Trawl, unwrap } from '@trawl/client';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { skriptOrCurrent } from '../skript-folder/find-folder.js';

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the id of a run.
 *
 * @param named the id itself, or the title of a skript whose latest run is meant; by default the skript in the current
 *   folder
 */
export async function findRun(trawl: Trawl, named: string | undefined): Promise<string> {
  return named !== undefined && UUID.test(named) ? named : latestRun(trawl, await skriptOrCurrent(named));
}

async function latestRun(trawl: Trawl, skript: string): Promise<string> {
  const query = { skript_id: await trawl.skriptId(skript), sort: '-created_at', limit: 1 };
  const { items } = await unwrap(trawl.api.GET('/joint-api/skript-execution/list', { params: { query } }));
  if (items[0]) return items[0].id;
  throw new Failure(`${JSON.stringify(skript)} has no runs yet. Start one with: trawl run`, EXIT.notFound);
}
