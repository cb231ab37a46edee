import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../../platform/common/entity.js';

@Entity('skript_files')
export class SkriptFile extends BaseRow {
  @Column('uuid')
  skript_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  content!: string;

  /** Size of `content` in bytes, as UTF-8. */
  @Column('integer')
  size!: number;
}
