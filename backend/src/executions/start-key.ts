import type { EntityManager } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { keyReused } from '../idempotency/idempotent.js';

interface KeyedStart {
  ownerId: string;
  key: string;
  /** Digest of all that was asked for. */
  request: Buffer;
  executionId: string;
}

/**
 * Takes an idempotency key for a start. One that is older than a day is as good as none, whether it has been removed yet
 * or not; one that another kind of call has is taken.
 * @returns null when it is taken for this start; the execution's id of the first start with the key; 409
 *   `idempotency_key_reused` when that was for something else.
 */
export async function claimStartKey(
  manager: EntityManager,
  { ownerId, key, request, executionId }: KeyedStart,
): Promise<string | ApiError | null> {
  const [claimed] = await manager.query<unknown[]>(
    `INSERT INTO start_keys AS k (owner_id, key, request, execution_id)
     SELECT $1::uuid, $2::text, $3::bytea, $4::uuid WHERE NOT EXISTS (
       SELECT 1 FROM idempotency_keys o WHERE o.owner_id = $1 AND o.key = $2 AND o.created_at >= now() - interval '1 day')
     ON CONFLICT (owner_id, key) DO UPDATE SET request = EXCLUDED.request, execution_id = EXCLUDED.execution_id,
       created_at = now()
     WHERE k.created_at < now() - interval '1 day' RETURNING key`,
    [ownerId, key, request, executionId],
  );
  if (claimed) return null;
  const [first] = await manager.query<{ execution_id: string; request: Buffer | null }[]>(
    `SELECT execution_id, request FROM start_keys WHERE owner_id = $1 AND key = $2
     UNION ALL SELECT NULL, NULL FROM idempotency_keys WHERE owner_id = $1 AND key = $2 LIMIT 1`,
    [ownerId, key],
  );
  if (!first) return new ApiError('conflict', 'This Idempotency-Key ran out just now. Try again.');
  return first.request?.equals(request) ? first.execution_id : keyReused();
}
