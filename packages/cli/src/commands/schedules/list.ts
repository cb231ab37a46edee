import { type components, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { localTime } from '../../terminal/local-time.js';

type Schedule = components['schemas']['Schedule'];

/** Lists the schedules: all, or those of one skript. */
export default async function list(skript: string | undefined, _options: object, context: Context): Promise<void> {
  const trawl = await connect(context);
  const skript_id = skript === undefined ? undefined : await trawl.skriptId(skript);
  const query = { skript_id, limit: 1_000, sort: 'name' };
  const { items } = await unwrap(trawl.api.GET('/joint-api/schedules/list', { params: { query } }));
  const columns = {
    NAME: ({ name }: Schedule) => name,
    SKRIPT: (schedule: Schedule) => schedule.skript.name,
    CRON: ({ cron_span, time_zone }: Schedule) => `${cron_span} (${time_zone})`,
    NEXT: ({ next_fire_at }: Schedule) => (next_fire_at ? localTime(next_fire_at) : 'paused'),
    PROBLEM: ({ problem }: Schedule) => problem?.code ?? '',
  };
  context.output.table(items, columns, 'There are no schedules yet.');
}
