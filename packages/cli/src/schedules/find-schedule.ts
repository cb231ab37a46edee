import { type components, type Trawl, unwrap } from '@trawl/client';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { UUID } from '../remote-run/find-run.js';

type Schedule = components['schemas']['Schedule'];

/**
 * Finds a schedule.
 *
 * @param named its name or id
 */
export async function findSchedule({ api }: Trawl, named: string): Promise<Schedule> {
  if (UUID.test(named)) {
    return unwrap(api.GET('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: named } } }));
  }
  const query = { name_contains: named, limit: 1_000 };
  const { items } = await unwrap(api.GET('/joint-api/schedules/list', { params: { query } }));
  const found = items.find(({ name }) => name === named);
  if (found) return found;
  throw new Failure(`You have no schedule ${JSON.stringify(named)}. To list them: trawl schedules`, EXIT.notFound);
}
