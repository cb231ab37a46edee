import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

/** One login. A token is worth something only as long as its session's row stands. */
@Entity('sessions')
export class Session extends BaseRow {
  @Column('uuid')
  user_id!: string;

  @Column('timestamptz')
  expires_at!: Date;

  /** Where the login came from. */
  @Column('text', { nullable: true })
  ip!: string | null;
}
