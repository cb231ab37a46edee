import type { QuotaLimits, Role } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

@Entity('users')
export class User extends BaseRow {
  @Column('text')
  username!: string;

  /** Null until the link of the first e-mail was used: nobody can sign in till then. */
  @Column('text', { nullable: true })
  password_hash!: string | null;

  @Column('text')
  role!: Role;

  /** Made at the first start: may run skripts on workers without a full sandbox. */
  @Column('boolean', { default: false })
  built_in!: boolean;

  /** Where this account's quotas differ from the installation's. */
  @Column('jsonb', { default: {} })
  quotas!: Partial<QuotaLimits>;

  @Column('timestamptz', { nullable: true })
  disabled_at!: Date | null;
}
