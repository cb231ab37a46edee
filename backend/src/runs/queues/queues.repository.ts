import { Injectable } from '@nestjs/common';
import { QUEUE_LIMITS } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';

/** Key of a PostgreSQL advisory lock: one backend at a time deletes the requests of deleted queues. */
const LOCK = 7_241_006;
/** Requests that one statement deletes or changes. */
const BATCH = 5_000;
/** Failed requests that one call puts back, at most. */
const MAX_RETRIED = 100_000;
/** Runs that have ended whose requests one call gives back, at most. */
const ENDED_AT_ONCE = 1_000;
/** SQL: whether a run that has ended holds requests. */
export const HAS_ENDED_TAKERS = `EXISTS (SELECT FROM queue_takers t
  WHERE NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = t.execution_id))`;

/** SQL: whether requests of a deleted queue are left. */
export const HAS_DELETED = 'EXISTS (SELECT FROM queues WHERE deleted_at IS NOT NULL OR owner_id IS NULL)';

/** Statements of `queues` and its tables, except the calls of runs. */
@Injectable()
export class QueuesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Bytes that the queues of an account take, those that are being deleted included. */
  async bytesOf(ownerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ bytes: string }[]>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM queues WHERE owner_id = $1',
      [ownerId],
    );
    return Number(row?.bytes ?? 0);
  }

  /** Gives back what runs that have ended hold. Each run has a statement of its own, so that no account waits for another. */
  async giveBack(): Promise<void> {
    const ended = await this.dataSource.query<{ id: number }[]>(
      `SELECT id FROM queue_takers t WHERE NOT EXISTS (SELECT FROM live_runs r WHERE r.execution_id = t.execution_id)
       LIMIT ${ENDED_AT_ONCE}`,
    );
    for (const { id } of ended) await this.dataSource.query('SELECT queue_give_back($1)', [id]);
  }

  /** Puts failed requests back, and returns how many. */
  async retryFailed(id: string): Promise<number> {
    let retried = 0;
    while (retried < MAX_RETRIED) {
      const [row] = await this.dataSource.query<{ n: number }[]>(
        `WITH failed AS (
           SELECT r.fingerprint FROM queue_requests r JOIN queues q ON q.key = r.queue
           WHERE q.id = $1 AND q.deleted_at IS NULL AND r.state = 'f' LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED),
         moved AS (
           UPDATE queue_requests r SET state = 'w', retries = 0, due_at = NULL FROM failed, queues q
           WHERE q.id = $1 AND r.queue = q.key AND r.fingerprint = failed.fingerprint RETURNING r.host),
         by_host AS (SELECT host, count(*)::int AS n FROM moved GROUP BY host),
         counted AS (
           UPDATE queues q SET waiting = waiting + m.n, failed = failed - m.n, updated_at = now()
           FROM (SELECT count(*) AS n FROM moved) m WHERE q.id = $1 AND m.n > 0 RETURNING 1)
         SELECT coalesce(sum(n), 0)::int AS n, (SELECT count(*) FROM counted), queue_count_hosts(
           (SELECT key FROM queues WHERE id = $1), array_agg(host), array_agg(n), array_agg(0), array_agg(0), array_agg(0),
           array_agg(-n), false) FROM by_host`,
        [id],
      );
      const moved = row?.n ?? 0;
      retried += moved;
      if (moved < BATCH) break;
    }
    return retried;
  }

  /** Marks a queue as deleted. Returns whether the account had it. */
  async delete(ownerId: string, id: string): Promise<boolean> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      'UPDATE queues SET deleted_at = now() WHERE id = $1 AND owner_id = $2 AND deleted_at IS NULL',
      [id, ownerId],
    );
    return deleted > 0;
  }

  /** Deletes all requests of a queue, and keeps the queue. Returns whether the account had it. */
  empty(ownerId: string, id: string): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      // The requests go with the row that has them, as if the queue were deleted.
      const [[queue]] = await manager.query<[{ name: string; created_at: Date }[], number]>(
        `UPDATE queues SET id = $3, deleted_at = now() WHERE id = $1 AND owner_id = $2 AND deleted_at IS NULL
         RETURNING name, created_at`,
        [id, ownerId, uuidv7()],
      );
      if (!queue) return false;
      const { name, created_at: createdAt } = queue;
      await manager.query('INSERT INTO queues (id, owner_id, name, created_at) VALUES ($1, $2, $3, $4)', [
        id,
        ownerId,
        name,
        createdAt,
      ]);
      return true;
    });
  }

  /** Marks queues as deleted that nobody has used for long. */
  async deleteUnused(): Promise<void> {
    await this.dataSource.query(
      `UPDATE queues SET deleted_at = now() WHERE deleted_at IS NULL AND updated_at < now() - $1 * interval '1 day'
         AND NOT EXISTS (SELECT FROM queue_takers t WHERE t.queue = queues.key)`,
      [QUEUE_LIMITS.unusedDays],
    );
  }

  /**
   * Deletes some requests of a deleted queue, or the queue if none is left. Small queues come first: nobody waits until a
   * large one of another account is gone.
   * @returns the account, which has more room now, or null if no queue is deleted, or another backend does this.
   */
  deleteSome(): Promise<{ ownerId: string | null } | null> {
    return this.dataSource.transaction(async manager => {
      const [lock] = await manager.query<{ isMine: boolean }[]>('SELECT pg_try_advisory_xact_lock($1) AS "isMine"', [
        LOCK,
      ]);
      if (!lock?.isMine) return null;
      const [queue] = await manager.query<{ key: number; owner_id: string | null }[]>(
        'SELECT key, owner_id FROM queues WHERE deleted_at IS NOT NULL OR owner_id IS NULL ORDER BY bytes LIMIT 1',
      );
      if (!queue) return null;
      const { key, owner_id: ownerId } = queue;
      // Calls of runs lock takers, then requests, then the queue. Any other order would be a deadlock with a late call.
      await manager.query('SELECT FROM queue_takers WHERE queue = $1 ORDER BY id FOR UPDATE', [key]);
      const [gone] = await manager.query<{ n: number }[]>(
        `WITH gone AS (
           DELETE FROM queue_requests WHERE queue = $1 AND fingerprint IN (
             SELECT fingerprint FROM queue_requests WHERE queue = $1 LIMIT ${BATCH})
           RETURNING octet_length(url) + coalesce(octet_length(data), 0) + coalesce(octet_length(error), 0) + $2 AS bytes),
         freed AS (UPDATE queues SET bytes = greatest(0, queues.bytes - (SELECT coalesce(sum(g.bytes), 0) FROM gone g)) WHERE key = $1)
         SELECT count(*)::int AS n FROM gone`,
        [key, QUEUE_LIMITS.overheadBytes],
      );
      if (gone?.n) return { ownerId };
      const [, hosts] = await manager.query<[unknown, number]>(
        `DELETE FROM queue_hosts WHERE queue = $1 AND id IN (SELECT id FROM queue_hosts WHERE queue = $1 LIMIT ${BATCH})`,
        [key],
      );
      if (hosts > 0) return { ownerId };
      await manager.query('DELETE FROM queue_takers WHERE queue = $1', [key]);
      await manager.query('DELETE FROM queues WHERE key = $1', [key]);
      return { ownerId };
    });
  }
}
