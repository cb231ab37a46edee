import { type Trawl, unwrap } from '@trawl/client';
import type { EventType } from '@trawl/contracts';

/** Creates a webhook. The answer has its secret, which the platform never shows again. */
export const addWebhook = (trawl: Trawl, body: { name: string; url: string; events: EventType[] }) =>
  unwrap(
    trawl.api.POST('/joint-api/webhooks/addnew', {
      params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
      body,
    }),
  );

export async function deleteWebhook({ api }: Trawl, webhook_id: string): Promise<void> {
  await unwrap(api.DELETE('/joint-api/webhooks/{webhook_id}', { params: { path: { webhook_id } } }));
}
