import type { EventType } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../common/entity.js';

@Entity('webhook_endpoints')
export class Webhook extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  url!: string;

  @Column('text', { array: true })
  events!: EventType[];

  /** Only events of this skript are sent. Null for all events of the account. */
  @Column('uuid', { nullable: true })
  skript_id!: string | null;

  @Column('boolean')
  enabled!: boolean;

  /** Why Trawl disabled the webhook. Null if it did not. */
  @Column('text', { nullable: true })
  disabled_reason!: string | null;

  /** Encrypted. */
  @Column('bytea')
  secret!: Buffer;

  /** Encrypted. Deliveries are signed with it too until `previous_secret_until`. */
  @Column('bytea', { nullable: true })
  previous_secret!: Buffer | null;

  @Column('timestamptz', { nullable: true })
  previous_secret_until!: Date | null;

  @Column('timestamptz', { nullable: true })
  failing_since!: Date | null;

  /** Number of failed attempts since the last successful one. */
  @Column('integer', { default: 0 })
  failures!: number;
}
