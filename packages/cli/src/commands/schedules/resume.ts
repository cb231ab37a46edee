import type { Context } from '../../context.js';
import { enable } from '../../schedules/enable.js';

/** Resumes a paused schedule. It makes no runs for the time in between. */
export default async function resume(schedule: string, options: { dryRun?: boolean }, context: Context): Promise<void> {
  await enable(schedule, true, options, context);
}
