import type { NoticeEvent } from '@trawl/contracts';
import type { EntityManager } from 'typeorm';

export interface Notice {
  ownerId: string;
  event: NoticeEvent;
  /** The data of the notice. The key named like the first part of `event`, such as `issue`, has the subject: `{ id, name }`. */
  data: object;
}

/** Writes notices in the caller's transaction. `record_events` does so for events that accounts may choose. */
export async function recordNotices(manager: EntityManager, notices: Notice[]): Promise<void> {
  if (notices.length === 0) return;
  await manager.query('SELECT record_notices($1, $2, $3)', [
    notices.map(({ ownerId }) => ownerId),
    notices.map(({ event }) => event),
    notices.map(({ data }) => JSON.stringify(data)),
  ]);
}

/** Deletes the notices of an account that is being deleted. */
export async function deleteNoticesOf(manager: EntityManager, ownerId: string): Promise<void> {
  await manager.query('DELETE FROM notices WHERE owner_id = $1', [ownerId]);
}
