import { setTimeout as sleep } from 'node:timers/promises';
import { type Trawl, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { progress } from '../../terminal/progress.js';
import { findWebhook } from '../../webhooks/find-webhook.js';

const LOOK_MS = 500;

/** Sends the event `test` to a webhook and tells what the receiver answered. */
export default async function test(named: string, { dryRun }: { dryRun?: boolean }, context: Context): Promise<void> {
  const { output } = context;
  const trawl = await connect(context);
  const { id, name } = await findWebhook(trawl, named);
  if (dryRun) return output.planned(`send a test event to ${name}`);
  const params = { path: { webhook_id: id }, header: { 'Idempotency-Key': crypto.randomUUID() } };
  const sent = await unwrap(trawl.api.POST('/joint-api/webhooks/{webhook_id}/test', { params }));
  const delivery = await progress(output, 'Waiting for the receiver', firstAttempt(trawl, id, sent.id));
  if (output.isJson) output.result(delivery);
  if (delivery.error !== null) throw new Failure(`The receiver of ${name} did not take the event: ${delivery.error}`);
  if (!output.isJson)
    output.result(null, `Delivered${delivery.response_status ? ` with status ${delivery.response_status}` : ''}`);
}

/** Waits for the result of the first attempt, which takes at most 15 seconds. */
async function firstAttempt({ api }: Trawl, webhook_id: string, delivery_id: string) {
  const path = { webhook_id, delivery_id };
  for (;;) {
    const call = api.GET('/joint-api/webhooks/{webhook_id}/deliveries/{delivery_id}', { params: { path } });
    const delivery = await unwrap(call);
    if (delivery.state !== 'pending' || delivery.error !== null) return delivery;
    await sleep(LOOK_MS);
  }
}
