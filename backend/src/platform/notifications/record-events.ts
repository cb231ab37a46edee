import type { EventType } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';
import { jsonForPostgres } from '../common/sql/json-text.js';

export interface NotificationEvent {
  ownerId: string;
  /** `webhook.disabled` cannot be chosen: its e-mail is always sent. */
  type: EventType | 'webhook.disabled';
  /** The `data` of the webhook's payload, and what an e-mail says. */
  data: object;
}

/**
 * Writes events in the caller's transaction, for each webhook and e-mail that its account has chosen. They are sent
 * within seconds after the commit. Events of ended runs are written by a trigger of PostgreSQL, `live_runs_ended`.
 * See docs/decisions/0156-what-ends-a-run-records-what-follows.md.
 */
export async function recordEvents(manager: EntityManager, events: NotificationEvent[]): Promise<void> {
  if (events.length === 0) return;
  await manager.query('SELECT record_events($1, $2, $3)', [
    events.map(({ ownerId }) => ownerId),
    events.map(({ type }) => type),
    events.map(({ data }) => jsonForPostgres(data)),
  ]);
}
