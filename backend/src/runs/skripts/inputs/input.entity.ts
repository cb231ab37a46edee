import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../../platform/common/entity.js';

@Entity('inputs')
export class Input extends BaseRow {
  @Column('uuid')
  skript_id!: string;

  @Column('text')
  name!: string;

  @Column('json')
  val!: unknown;
}
