import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Trawl, TrawlError } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { explain } from '../../explain.js';
import { Failure, Interrupted } from '../../failure.js';
import { connect, FOLLOW_FOR_MS } from '../../session/connect.js';
import { clean, safeJson } from '../../terminal/clean.js';
import { readLimit } from '../../terminal/limit.js';
import { localClock } from '../../terminal/local-time.js';
import type { Output } from '../../terminal/output.js';
import { addWebhook, deleteWebhook } from '../../webhooks/add-webhook.js';
import { eventsOf, findWebhook, listWebhooks, type Webhook } from '../../webhooks/find-webhook.js';
import { latest, newDeliveries, type ReceivedEvent, receive } from '../../webhooks/receive.js';

/** The URL of a webhook whose deliveries Trawl keeps and does not send. */
const LOG_URL = 'trawl:log';
/** Age from which the webhook of another program on this computer is one that a killed program has left. */
const LEFT_MS = 86_400_000;
const HAD_WRONG = 'At least one signature was wrong.';
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
  name: string;
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
  const webhook = named === undefined ? await temporary(trawl, eventsOf(events), output) : await existing(trawl, named);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  output.note(`Listening${named === undefined ? '' : ` to ${named}`}. Ctrl-C ends it.`);
  let received = 0;
  let hasWrong = false;
  try {
    for await (const delivery of newDeliveries(trawl, webhook.id, webhook.seen, stopped.signal)) {
      const { secret } = webhook;
      const event = await receive(trawl, delivery, { secret, forward: target, signal: stopped.signal });
      hasWrong ||= event.signature === 'wrong';
      if (output.isJson) output.stdout.write(`${safeJson(event)}\n`);
      else output.stdout.write(textOf(event));
      received += 1;
      if (received >= count) break;
    }
  } catch (error) {
    if (hasWrong) output.warn(HAD_WRONG);
    if (stopped.signal.aborted) throw new Interrupted();
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    // At the end, nobody wants to wait as long as while listening.
    if (webhook.isTemporary) await remove(await connect(context), webhook, output);
  }
  if (hasWrong) throw new Failure(HAD_WRONG);
}

async function existing(trawl: Trawl, named: string): Promise<Listened> {
  const { id, name } = await findWebhook(trawl, named);
  const { items } = await latest(trawl, id);
  const seen = new Set(items.map(delivery => delivery.id));
  return { id, name, secret: process.env.TRAWL_WEBHOOK_SECRET, seen, isTemporary: false };
}

/** Creates a webhook with a name of its own, and deletes those that killed programs on this computer have left. */
async function temporary(trawl: Trawl, events: ReturnType<typeof eventsOf>, output: Output): Promise<Listened> {
  const prefix = `trawl listen on ${hostname()}`.slice(0, 80);
  const isLeft = ({ name, url, created_at }: Webhook) =>
    name.replace(/ [0-9a-f]{8}$/, '') === prefix && url === LOG_URL && Date.now() - Date.parse(created_at) > LEFT_MS;
  for (const left of (await listWebhooks(trawl)).filter(isLeft)) await remove(trawl, left, output);
  const name = `${prefix} ${randomBytes(4).toString('hex')}`;
  const { id, secret } = await addWebhook(trawl, { name, url: LOG_URL, events });
  return { id, name, secret, seen: new Set(), isTemporary: true };
}

/** Deletes a webhook. If that fails, says how to delete it, because the command can do its work without it. */
async function remove(trawl: Trawl, { id, name }: Pick<Webhook, 'id' | 'name'>, output: Output): Promise<void> {
  try {
    await deleteWebhook(trawl, id);
  } catch (error) {
    if (error instanceof TrawlError && error.status === 404) return;
    const command = `trawl webhooks rm ${JSON.stringify(name)}`;
    output.warn(`The webhook ${name} is still there: ${explain(error).text} Delete it with: ${command}`);
  }
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
