import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

/** What a visitor wrote. `ip`, `time` and `referer` are what the browser claims. */
@Entity('contact_messages')
export class ContactMessage extends BaseRow {
  @Column('text')
  name!: string;

  @Column('text')
  email!: string;

  @Column('text')
  country!: string;

  @Column('text')
  subject!: string;

  @Column('text')
  msg!: string;

  @Column('text')
  ip!: string;

  /** Where the server saw the request come from. */
  @Column('text')
  seen_ip!: string;

  @Column('text')
  time!: string;

  @Column('text')
  referer!: string;
}
