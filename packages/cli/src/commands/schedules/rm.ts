import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { findSchedule } from '../../schedules/find-schedule.js';
import { connect } from '../../session/connect.js';
import { type ConfirmOptions, confirm } from '../../terminal/confirm.js';

/** Deletes a schedule. Its runs stay. */
export default async function rm(
  named: string,
  options: ConfirmOptions,
  { output, ...context }: Context,
): Promise<void> {
  const trawl = await connect({ output, ...context });
  const { id, name } = await findSchedule(trawl, named);
  if (!(await confirm(`delete the schedule ${name}`, options, output))) return;
  await unwrap(trawl.api.DELETE('/joint-api/schedules/{schedule_id}', { params: { path: { schedule_id: id } } }));
  output.result({ deleted: id }, `Deleted ${name}`);
}
