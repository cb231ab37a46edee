import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { type ConfirmOptions, confirm } from '../../terminal/confirm.js';
import { deleteWebhook } from '../../webhooks/add-webhook.js';
import { findWebhook } from '../../webhooks/find-webhook.js';

/** Deletes a webhook and its deliveries. */
export default async function rm(named: string, options: ConfirmOptions, context: Context): Promise<void> {
  const trawl = await connect(context);
  const { id, name } = await findWebhook(trawl, named);
  if (!(await confirm(`delete the webhook ${name} and its deliveries`, options, context.output))) return;
  await deleteWebhook(trawl, id);
  context.output.result({ deleted: id }, `Deleted ${name}`);
}
