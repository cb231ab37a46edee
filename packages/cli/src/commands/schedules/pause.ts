import type { Context } from '../../context.js';
import { enable } from '../../schedules/enable.js';

/** Pauses a schedule: it starts no runs until it is resumed. */
export default async function pause(schedule: string, options: { dryRun?: boolean }, context: Context): Promise<void> {
  await enable(schedule, false, options, context);
}
