import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../../platform/common/entity.js';

/** A message from the contact form. `ip`, `time` and `referer` come from the browser and may be false. */
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

  /** The client's IP address as the server saw it. */
  @Column('text')
  seen_ip!: string;

  @Column('text')
  time!: string;

  @Column('text')
  referer!: string;
}
