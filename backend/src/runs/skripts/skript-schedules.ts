import type { EntityManager } from 'typeorm';

/**
 * Locks a user's schedules, or only those of one skript. To avoid deadlocks, lock schedules before skripts, as a fire
 * does.
 */
export async function lockSchedules(manager: EntityManager, ownerId: string, skriptId?: string): Promise<void> {
  await manager.query(
    `SELECT 1 FROM schedules WHERE owner_id = $1 AND ($2::uuid IS NULL OR skript_id = $2) ORDER BY id FOR UPDATE`,
    [ownerId, skriptId ?? null],
  );
}

/**
 * Deletes the records of all times at which the schedules of these skripts fired. PostgreSQL deletes the schedules
 * together with the skripts.
 */
export async function deleteFires(manager: EntityManager, skriptIds: string[]): Promise<void> {
  await manager.query(
    'DELETE FROM schedule_fires WHERE schedule_id IN (SELECT id FROM schedules WHERE skript_id = ANY ($1))',
    [skriptIds],
  );
}
