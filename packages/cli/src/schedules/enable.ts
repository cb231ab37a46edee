import { type components, unwrap } from '@trawl/client';
import type { Context } from '../context.js';
import { connect } from '../session/connect.js';
import { localTime } from '../terminal/local-time.js';
import { findSchedule } from './find-schedule.js';

/** Pauses a schedule or lets it continue. */
export async function enable(
  named: string,
  enabled: boolean,
  { dryRun }: { dryRun?: boolean },
  context: Context,
): Promise<void> {
  const trawl = await connect(context);
  const { id, name } = await findSchedule(trawl, named);
  if (dryRun) return context.output.planned(`${enabled ? 'resume' : 'pause'} ${name}`);
  const body = { enabled } as components['schemas']['UpdateSchedule'];
  const params = { path: { schedule_id: id } };
  const schedule = await unwrap(trawl.api.PUT('/joint-api/schedules/{schedule_id}', { params, body }));
  const next = schedule.next_fire_at ? `. Next run: ${localTime(schedule.next_fire_at)}` : '';
  context.output.result(schedule, `${enabled ? 'Resumed' : 'Paused'} ${schedule.name}${next}`);
}
