import { unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { storedValues } from '../../remote-run/stored-values.js';
import { connect } from '../../session/connect.js';
import { skriptOrCurrent } from '../../skript-folder/find-folder.js';
import { localTime } from '../../terminal/local-time.js';

export interface AddOptions {
  skript?: string;
  name?: string;
  /** IANA name. */
  timeZone?: string;
  worker?: string;
  dryRun?: boolean;
}

/** Creates a schedule, which starts a skript with the values that `trawl run` would take. */
export default async function add(
  cron_span: string,
  { skript, name, timeZone, worker = 'any', dryRun }: AddOptions,
  context: Context,
): Promise<void> {
  const trawl = await connect(context);
  const named = await skriptOrCurrent(skript);
  const skript_id = await trawl.skriptId(named);
  const { input, inputSecret } = await storedValues(trawl, skript_id);
  const time_zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (dryRun) {
    const query = { cron_span, time_zone };
    const { next_fires } = await unwrap(trawl.api.GET('/joint-api/schedules/preview', { params: { query } }));
    const first = next_fires[0] === undefined ? 'never' : localTime(next_fires[0]);
    return context.output.planned(`add the schedule ${name ?? named} of ${named}. Next run: ${first}`);
  }
  const schedule = await unwrap(
    trawl.api.POST('/joint-api/schedules/addnew', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: {
        name: name ?? named,
        cron_span,
        time_zone,
        skript_id,
        input_id: input?.id ?? null,
        inputSecret_id: inputSecret?.id ?? null,
        worker_id: worker,
      },
    }),
  );
  const next = schedule.next_fire_at ? localTime(schedule.next_fire_at) : 'never';
  context.output.result(schedule, `Added ${schedule.name}. Next run: ${next}`);
}
