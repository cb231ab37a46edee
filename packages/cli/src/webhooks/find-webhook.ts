import { type components, type Trawl, unwrap } from '@trawl/client';
import { EVENT_TYPES, type EventType } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';

export type Webhook = components['schemas']['Webhook'];

export async function listWebhooks({ api }: Trawl): Promise<Webhook[]> {
  const query = { limit: 1_000, sort: 'name' };
  return (await unwrap(api.GET('/joint-api/webhooks/list', { params: { query } }))).items;
}

/**
 * Finds a webhook.
 *
 * @param named its name or id
 */
export async function findWebhook(trawl: Trawl, named: string): Promise<Webhook> {
  const found = (await listWebhooks(trawl)).find(({ id, name }) => id === named || name === named);
  if (found) return found;
  throw new Failure(`You have no webhook ${JSON.stringify(named)}. To list them: trawl webhooks`, EXIT.notFound);
}

/** Returns the events of `--events`, which are separated by commas; all without it. */
export function eventsOf(events: string | undefined): EventType[] {
  if (events === undefined) return EVENT_TYPES;
  const names = events.split(',').map(name => name.trim());
  const unknown = names.find(name => !EVENT_TYPES.includes(name as EventType));
  if (unknown === undefined) return names as EventType[];
  throw new Failure(`There is no event ${JSON.stringify(unknown)}. Choose from ${EVENT_TYPES.join(', ')}.`, EXIT.usage);
}
