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
}

/** Creates a schedule, which starts a skript with the values that `trawl run` would take. */
export default async function add(
  cron_span: string,
  { skript, name, timeZone, worker = 'any' }: AddOptions,
  context: Context,
): Promise<void> {
  const trawl = await connect(context);
  const named = await skriptOrCurrent(skript);
  const skript_id = await trawl.skriptId(named);
  const { input, inputSecret } = await storedValues(trawl, skript_id);
  const schedule = await unwrap(
    trawl.api.POST('/joint-api/schedules/addnew', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      body: {
        name: name ?? named,
        cron_span,
        time_zone: timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
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
