import { Injectable } from '@nestjs/common';
import type { KeyScope, Role } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { hashApiKey } from '../api-key-format.js';
import type { SessionUser } from '../current-user.js';
import type { TokenClaims } from '../session-tokens.service.js';

interface OwnerRow {
  id: string;
  username: string;
  role: Role;
  built_in: boolean;
  expires_at: Date | null;
}
interface KeyRow extends OwnerRow {
  key_id: string;
  key_name: string;
  scope: KeyScope;
}

const OWNER = 'u.id, u.username, u.role, u.built_in';
const ACTIVE = 'u.disabled_at IS NULL AND (u.expires_at IS NULL OR u.expires_at > now())';

/** Reads which user a valid API key or session belongs to. Finds nothing for disabled and expired users. */
@Injectable()
export class TokenOwners {
  constructor(private readonly dataSource: DataSource) {}

  async ofKey(key: string) {
    const [row] = await this.dataSource.query<KeyRow[]>(
      `SELECT ${OWNER}, k.id AS key_id, k.name AS key_name, k.scope,
         least(k.expires_at, u.expires_at) AS expires_at
       FROM api_keys k JOIN users u ON u.id = k.user_id
       WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
         AND ${ACTIVE}`,
      [hashApiKey(key)],
    );
    return row ? owner(row, { session_id: null, key: { id: row.key_id, name: row.key_name, scope: row.scope } }) : null;
  }

  async ofSession({ sid, sub, exp }: TokenClaims) {
    const [row] = await this.dataSource.query<OwnerRow[]>(
      // An earlier token of a renewed session expires before the session.
      `SELECT ${OWNER}, least(s.expires_at, u.expires_at, to_timestamp($3)) AS expires_at
       FROM sessions s JOIN users u ON u.id = s.user_id
       WHERE s.id = $1 AND s.user_id = $2 AND s.expires_at > now() AND ${ACTIVE}`,
      [sid, sub, exp],
    );
    return row ? owner(row, { session_id: sid, key: null }) : null;
  }
}

function owner({ id, username, role, built_in, expires_at }: OwnerRow, by: Pick<SessionUser, 'session_id' | 'key'>) {
  // The object is frozen because the cache gives the same object to many requests.
  const user = Object.freeze({ id, username, role, built_in, ...by });
  return { user, expiresAtMs: expires_at?.getTime() ?? Number.POSITIVE_INFINITY };
}
