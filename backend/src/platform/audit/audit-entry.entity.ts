import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

/** Records who did what to which resource. Entries are never changed. */
@Entity('audit_log')
export class AuditEntry extends BaseRow {
  @Column('uuid', { nullable: true })
  user_id!: string | null;

  @Column('text', { nullable: true })
  username!: string | null;

  @Column('uuid', { nullable: true })
  key_id!: string | null;

  @Column('text', { nullable: true })
  key_name!: string | null;

  @Column('text')
  action!: string;

  @Column('text', { nullable: true })
  target_kind!: string | null;

  @Column('text', { nullable: true })
  target_id!: string | null;

  @Column('text', { nullable: true })
  target_name!: string | null;

  @Column('text', { array: true })
  fields!: string[];

  @Column('integer')
  status!: number;

  @Column('text')
  ip!: string;
}
