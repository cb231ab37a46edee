import type { EntityManager } from 'typeorm';

/** Holds a user's schedules, or those of one skript. A fire locks its schedule first, then the skript: so must who deletes both. */
export async function lockSchedules(manager: EntityManager, ownerId: string, skriptId?: string): Promise<void> {
  await manager.query(
    `SELECT 1 FROM schedules WHERE owner_id = $1 AND ($2::uuid IS NULL OR skript_id = $2) ORDER BY id FOR UPDATE`,
    [ownerId, skriptId ?? null],
  );
}

/** The record of fires of all schedules of these skripts; the schedules themselves go with the skripts. */
export async function deleteFires(manager: EntityManager, skriptIds: string[]): Promise<void> {
  await manager.query(
    'DELETE FROM schedule_fires WHERE schedule_id IN (SELECT id FROM schedules WHERE skript_id = ANY ($1))',
    [skriptIds],
  );
}
