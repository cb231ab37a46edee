import type { QuotaLimits, Role } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../platform/common/entity.js';

@Entity('users')
export class User extends BaseRow {
  @Column('text')
  username!: string;

  /** Null until the user sets a password, using the link from the first e-mail. */
  @Column('text', { nullable: true })
  password_hash!: string | null;

  @Column('text')
  role!: Role;

  /**
   * True if the account was created when the platform started for the first time. Only these accounts may run skripts
   * on workers without the full sandbox.
   */
  @Column('boolean', { default: false })
  built_in!: boolean;

  /** Quotas of this account that replace the installation's defaults. */
  @Column('jsonb', { default: {} })
  quotas!: Partial<QuotaLimits>;

  /** The panel preferences that the account has set. */
  @Column('jsonb', { default: {} })
  preferences!: object;

  @Column('timestamptz', { nullable: true })
  disabled_at!: Date | null;

  /** From this time on, nobody can sign in, and a sweep deletes the account. Null if it does not expire. */
  @Column('timestamptz', { nullable: true })
  expires_at!: Date | null;
}
