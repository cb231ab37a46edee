import { hostname } from 'node:os';
import { type Trawl, TrawlError } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure, Interrupted } from '../../failure.js';
import { connect, FOLLOW_FOR_MS } from '../../session/connect.js';
import { clean, safeJson } from '../../terminal/clean.js';
import { readLimit } from '../../terminal/limit.js';
import { localClock } from '../../terminal/local-time.js';
import { addWebhook, deleteWebhook } from '../../webhooks/add-webhook.js';
import { eventsOf, findWebhook, listWebhooks } from '../../webhooks/find-webhook.js';
import { latest, newDeliveries, type ReceivedEvent, receive } from '../../webhooks/receive.js';

/** The URL of a webhook whose deliveries Trawl keeps and does not send. */
const LOG_URL = 'trawl:log';
const SIGNATURES = {
  valid: 'signature valid',
  wrong: 'WRONG SIGNATURE',
  unchecked: 'signature not checked: set TRAWL_WEBHOOK_SECRET',
};

export interface ListenOptions {
  events?: string;
  /** Address of a program on this computer. */
  forward?: string;
  limit?: string;
}

/** The webhook to listen to. */
interface Listened {
  id: string;
  secret: string | undefined;
  /** Ids of deliveries that were there before. */
  seen: Set<string>;
  isTemporary: boolean;
}

/**
 * Shows the events of the account on this computer, or those of one webhook, until Ctrl-C. Without a name, creates a
 * webhook that is deleted at the end.
 */
export default async function listen(
  named: string | undefined,
  { events, forward, limit }: ListenOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  if (named !== undefined && events !== undefined) {
    throw new Failure('--events is only for listening without a webhook: a webhook has its own events.', EXIT.usage);
  }
  const count = readLimit(limit);
  const target = forward === undefined ? null : urlOf(forward);
  const trawl = await connect(context, FOLLOW_FOR_MS);
  const webhook = named === undefined ? await temporary(trawl, eventsOf(events)) : await existing(trawl, named);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  output.note(`Listening${named === undefined ? '' : ` to ${named}`}. Ctrl-C ends it.`);
  let received = 0;
  let hasWrong = false;
  try {
    for await (const delivery of newDeliveries(trawl, webhook.id, webhook.seen, stopped.signal)) {
      const event = await receive(trawl, delivery, webhook.secret, target);
      hasWrong ||= event.signature === 'wrong';
      if (output.isJson) output.stdout.write(`${safeJson(event)}\n`);
      else output.stdout.write(textOf(event));
      received += 1;
      if (received >= count) break;
    }
  } catch (error) {
    if (stopped.signal.aborted) throw new Interrupted();
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    if (webhook.isTemporary) await deleteWebhook(trawl, webhook.id).catch(ignoreMissing);
  }
  if (hasWrong) throw new Failure('At least one signature was wrong.');
}

async function existing(trawl: Trawl, named: string): Promise<Listened> {
  const { id } = await findWebhook(trawl, named);
  const { items } = await latest(trawl, id);
  const seen = new Set(items.map(delivery => delivery.id));
  return { id, secret: process.env.TRAWL_WEBHOOK_SECRET, seen, isTemporary: false };
}

/** Creates a webhook of this computer, in place of one that a killed program has left. */
async function temporary(trawl: Trawl, events: ReturnType<typeof eventsOf>): Promise<Listened> {
  const name = `trawl listen on ${hostname()}`.slice(0, 100);
  const left = (await listWebhooks(trawl)).find(webhook => webhook.name === name && webhook.url === LOG_URL);
  if (left) await deleteWebhook(trawl, left.id).catch(ignoreMissing);
  const { id, secret } = await addWebhook(trawl, { name, url: LOG_URL, events });
  return { id, secret, seen: new Set(), isTemporary: true };
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof TrawlError && error.status === 404)) throw error;
}

function textOf({ event, payload, signature, forwarded }: ReceivedEvent): string {
  const time = localClock(String((payload as { timestamp?: unknown }).timestamp));
  const answer = forwarded === null ? '' : `, forwarded: ${forwarded}`;
  return `${clean(`${time} ${event} (${SIGNATURES[signature]}${answer})`)}\n${safeJson(payload, 2)}\n`;
}

/** Returns the URL of a program on this computer. Without `http://` or `https://`, it is http. */
function urlOf(forward: string): string {
  const url = /^https?:\/\//.test(forward) ? forward : `http://${forward}`;
  if (URL.canParse(url)) return url;
  throw new Failure(`--forward must be an address such as localhost:8080/hook; you gave ${forward}.`, EXIT.usage);
}
