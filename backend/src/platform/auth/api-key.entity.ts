import type { KeyScope } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

/** A token with which a user's programs call the API. The database stores only its hash. */
@Entity('api_keys')
export class ApiKey extends BaseRow {
  @Column('uuid')
  user_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  scope!: KeyScope;

  @Column('bytea', { select: false })
  key_hash!: Buffer;

  @Column('timestamptz', { nullable: true })
  expires_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  last_used_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  revoked_at!: Date | null;
}
