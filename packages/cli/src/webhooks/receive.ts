import { setTimeout as sleep } from 'node:timers/promises';
import { type components, type Trawl, unwrap } from '@trawl/client';
import { Webhook } from 'standardwebhooks';

type Delivery = components['schemas']['WebhookDelivery'];

const LOOK_MS = 1_000;
const PAGE = 50;
const FORWARD_MS = 15_000;

/** An event as `--json` shows it. */
export interface ReceivedEvent {
  id: string;
  event: string;
  payload: unknown;
  signature: 'valid' | 'wrong' | 'unchecked';
  /** Answer of the program in `--forward`: a status, or why there is none. Null without `--forward`. */
  forwarded: number | string | null;
}

/**
 * Yields the deliveries of a webhook that are not in `seen`, the oldest first, and adds them to it. Looks once a second
 * until the signal is aborted.
 */
export async function* newDeliveries(
  trawl: Trawl,
  webhook_id: string,
  seen: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<Delivery, void> {
  for (;;) {
    const fresh = await unseen(trawl, webhook_id, seen, signal);
    for (const delivery of fresh.reverse()) {
      seen.add(delivery.id);
      yield delivery;
    }
    await sleep(LOOK_MS, undefined, { signal });
  }
}

/** Returns a page of deliveries, the latest first. */
export async function latest({ api }: Trawl, webhook_id: string, after?: string, signal?: AbortSignal) {
  const params = { path: { webhook_id }, query: { limit: PAGE, sort: '-created_at', after } };
  const call = api.GET('/joint-api/webhooks/{webhook_id}/deliveries/list', { params, signal });
  return unwrap(call, signal);
}

/** Reads the latest deliveries, until one of them is known. */
async function unseen(
  trawl: Trawl,
  webhook_id: string,
  seen: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Delivery[]> {
  const fresh: Delivery[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await latest(trawl, webhook_id, after, signal);
    const unknown = items.filter(({ id }) => !seen.has(id));
    fresh.push(...unknown);
    after = unknown.length === items.length ? next : undefined;
  } while (after !== undefined);
  return fresh;
}

/** Gets a delivery as a receiver does, checks its signature, and sends it to a program on this computer. */
export async function receive(
  { api }: Trawl,
  { id, webhook_id, event, payload }: Delivery,
  { secret, forward, signal }: { secret: string | undefined; forward: string | null; signal: AbortSignal },
): Promise<ReceivedEvent> {
  const params = { path: { webhook_id, delivery_id: id } };
  const route = '/joint-api/webhooks/{webhook_id}/deliveries/{delivery_id}/request';
  const { headers, body } = await unwrap(api.GET(route, { params, signal }), signal);
  const signature = secret === undefined ? 'unchecked' : isSigned(secret, headers, body) ? 'valid' : 'wrong';
  return { id, event, payload, signature, forwarded: forward === null ? null : await send(forward, headers, body) };
}

function isSigned(secret: string, headers: Record<string, string>, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

async function send(url: string, headers: Record<string, string>, body: string): Promise<number | string> {
  // fetch counts the bytes itself.
  const { 'content-length': _, ...own } = headers;
  try {
    const signal = AbortSignal.timeout(FORWARD_MS);
    const response = await fetch(url, { method: 'POST', headers: own, body, redirect: 'manual', signal });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return cause?.code ?? message;
  }
}
