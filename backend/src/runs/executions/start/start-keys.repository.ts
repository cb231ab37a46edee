import type { EntityManager } from 'typeorm';
import { ApiError } from '../../../platform/common/errors.js';
import { keyReused } from '../../../platform/idempotency/idempotent.js';

interface KeyedStart {
  ownerId: string;
  key: string;
  /** Digests of the call. The first is stored; an earlier call with the key may have stored any of them. */
  requests: Buffer[];
  executionId: string;
}

/**
 * Claims an idempotency key for a start. A key expires after a day, even if it has not been removed yet. A key that
 * another kind of call has used is refused.
 * @returns null if this start now has the key; the execution id of the first start with the key; or 409
 * `idempotency_key_reused` if that was a different call.
 */
export async function claimStartKey(
  manager: EntityManager,
  { ownerId, key, requests, executionId }: KeyedStart,
): Promise<string | ApiError | null> {
  const [claimed] = await manager.query<unknown[]>(
    `INSERT INTO start_keys AS k (owner_id, key, request, execution_id)
     SELECT $1::uuid, $2::text, $3::bytea, $4::uuid WHERE NOT EXISTS (
       SELECT 1 FROM idempotency_keys o WHERE o.owner_id = $1 AND o.key = $2 AND o.created_at >= now() - interval '1 day')
     ON CONFLICT (owner_id, key) DO UPDATE SET request = EXCLUDED.request, execution_id = EXCLUDED.execution_id,
       created_at = now()
     WHERE k.created_at < now() - interval '1 day' RETURNING key`,
    [ownerId, key, requests[0], executionId],
  );
  if (claimed) return null;
  const [first] = await manager.query<{ execution_id: string; request: Buffer | null }[]>(
    `SELECT execution_id, request FROM start_keys WHERE owner_id = $1 AND key = $2
     UNION ALL SELECT NULL, NULL FROM idempotency_keys WHERE owner_id = $1 AND key = $2 LIMIT 1`,
    [ownerId, key],
  );
  if (!first) return new ApiError('conflict', 'This Idempotency-Key expired during the call. Try again.');
  return requests.some(request => first.request?.equals(request)) ? first.execution_id : keyReused();
}

export async function releaseStartKeys(
  manager: EntityManager,
  keys: { ownerId: string; key: string }[],
): Promise<void> {
  if (keys.length === 0) return;
  await manager.query(
    `DELETE FROM start_keys k USING unnest($1::uuid[], $2::text[]) AS refused (owner_id, key)
     WHERE k.owner_id = refused.owner_id AND k.key = refused.key`,
    [keys.map(({ ownerId }) => ownerId), keys.map(({ key }) => key)],
  );
}

/**
 * Deletes the start keys of an account. They have no foreign key to `users`, so they are not deleted together with the
 * user.
 */
export async function deleteStartKeysOf(manager: EntityManager, ownerId: string): Promise<void> {
  await manager.query('DELETE FROM start_keys WHERE owner_id = $1', [ownerId]);
}

export async function deleteExpiredStartKeys(manager: EntityManager): Promise<void> {
  await manager.query(`DELETE FROM start_keys WHERE created_at < now() - interval '1 day'`);
}
