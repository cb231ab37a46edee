import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { addWebhook } from '../../webhooks/add-webhook.js';
import { eventsOf } from '../../webhooks/find-webhook.js';

export interface CreateOptions {
  name?: string;
  /** Names separated by commas; all by default. */
  events?: string;
  dryRun?: boolean;
}

/** Creates a webhook and prints its secret. */
export default async function create(
  url: string,
  { name, events, dryRun }: CreateOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const webhook = { name: name ?? url.slice(0, 100), url, events: eventsOf(events) };
  const trawl = await connect(context);
  if (dryRun) return output.planned(`create the webhook ${webhook.name} for ${webhook.events.join(', ')}`);
  const created = await addWebhook(trawl, webhook);
  output.note(`Created ${created.name}. Store its secret now: Trawl never shows it again.`);
  output.result(created, created.secret);
}
