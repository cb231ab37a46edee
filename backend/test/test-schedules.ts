import { SchedulerService } from '../src/runs/scheduler/scheduler.service.js';
import type { Api, TestApp } from './test-app.js';

let count = 0;

/** Creates a schedule through the API. Unless `fields` says otherwise, its first fire is on 1 January. */
export async function makeSchedule(api: Api, fields: { skript_id: string } & Record<string, unknown>): Promise<any> {
  const { status, body } = await api('POST', '/joint-api/schedules/addnew', {
    name: `schedule ${++count}`,
    cron_span: '0 0 1 1 *',
    worker_id: 'any',
    ...fields,
  });
  if (status !== 201) throw new Error(`no schedule: ${JSON.stringify(body)}`);
  return body;
}

/** Changes the schedule's row: it was due `seconds` seconds ago. Returns that time, without milliseconds. */
export async function dueBefore(app: TestApp, id: string, seconds: number): Promise<string> {
  const [{ next_fire_at }] = (await app.sql(
    `UPDATE schedules SET next_fire_at = date_trunc('second', now()) - $2 * interval '1 second' WHERE id = $1
     RETURNING next_fire_at`,
    [id, seconds],
  )) as [{ next_fire_at: Date }];
  return next_fire_at.toISOString();
}

export const tick = (app: TestApp): Promise<void> => app.part(SchedulerService).tick();

/** Returns the schedule's fires, the latest first. */
export const firesOf = async (api: Api, id: string, query = ''): Promise<any[]> =>
  (await api('GET', `/joint-api/schedules/${id}/fires/list?limit=1000&${query}`)).body.items;
