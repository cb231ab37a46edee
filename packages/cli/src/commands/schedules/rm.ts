import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { Interrupted } from '../../failure.js';
import { findSchedule } from '../../schedules/find-schedule.js';
import { connect } from '../../session/connect.js';
import { askConsent } from '../../terminal/ask.js';

export interface RmOptions {
  /** Do not ask. */
  yes?: boolean;
  dryRun?: boolean;
}

/** Deletes a schedule. Its runs stay. */
export default async function rm(named: string, { yes, dryRun }: RmOptions, context: Context): Promise<void> {
  const trawl = await connect(context);
  const { id, name } = await findSchedule(trawl, named);
  if (dryRun) return context.output.planned(`delete the schedule ${name}`);
  if (!yes && !(await askConsent(`Delete the schedule ${name}?`, 'Confirm it with --yes.'))) throw new Interrupted();
  await unwrap(trawl.api.DELETE('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: id } } }));
  context.output.result({ deleted: id }, `Deleted ${name}`);
}
