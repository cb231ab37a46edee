import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { Failure } from '../../failure.js';
import { findSchedule } from '../../schedules/find-schedule.js';
import { connect } from '../../session/connect.js';

/** Starts the run of a schedule now, without waiting for its end. */
export default async function run(named: string, { dryRun }: { dryRun?: boolean }, context: Context): Promise<void> {
  const trawl = await connect(context);
  const { id, name } = await findSchedule(trawl, named);
  if (dryRun) return context.output.planned(`start a run of ${name}`);
  const params = { path: { schedule_id: id }, header: { 'Idempotency-Key': crypto.randomUUID() } };
  const fire = await unwrap(trawl.api.POST('/joint-api/schedules/{schedule_id}/trigger', { params }));
  if (fire.execution) {
    return context.output.result(
      fire,
      `Started the run ${fire.execution.id}. Its echoes: trawl logs -f ${fire.execution.id}`,
    );
  }
  if (fire.outcome === 'queued') return context.output.result(fire, `Queued: ${fire.reason}`);
  throw new Failure(`${JSON.stringify(name)} started no run (${fire.reason_code}): ${fire.reason}`);
}
