import type { Context } from '../../context.js';
import { connect } from '../../session/connect.js';
import { localTime } from '../../terminal/local-time.js';
import { listWebhooks, type Webhook } from '../../webhooks/find-webhook.js';

/** Lists the webhooks of the account, without their secrets. */
export default async function list(_options: object, context: Context): Promise<void> {
  const columns = {
    NAME: ({ name }: Webhook) => name,
    URL: ({ url }: Webhook) => url,
    EVENTS: ({ events }: Webhook) => events.join(', '),
    STATE: (webhook: Webhook) => stateOf(webhook),
  };
  context.output.table(await listWebhooks(await connect(context)), columns, 'There are no webhooks yet.');
}

function stateOf({ enabled, disabled_reason, failing_since }: Webhook): string {
  if (!enabled) return disabled_reason ? `disabled: ${disabled_reason}` : 'disabled';
  return failing_since ? `failing since ${localTime(failing_since)}` : 'enabled';
}
