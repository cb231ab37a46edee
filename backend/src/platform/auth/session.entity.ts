import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

/** One login. Its token is valid only while this row exists. */
@Entity('sessions')
export class Session extends BaseRow {
  @Column('uuid')
  user_id!: string;

  @Column('timestamptz')
  expires_at!: Date;

  /** The client's address at login. */
  @Column('text', { nullable: true })
  ip!: string | null;
}
