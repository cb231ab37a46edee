import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../../platform/common/entity.js';

@Entity('input_secrets')
export class InputSecret extends BaseRow {
  @Column('uuid')
  skript_id!: string;

  @Column('text')
  name!: string;

  /** The value as JSON text, encrypted by `SecretBox`. The encryption is bound to the row's id. */
  @Column('bytea')
  val_sealed!: Buffer;
}
