import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../../platform/common/entity.js';

/** A user's database. `name` is the name that the user chose; `db_name` is the database's name in MongoDB. */
@Entity('mongo_databases')
export class MongoDatabase extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  db_name!: string;

  /** Whether all accounts may read it. Counts only while its owner is an administrator. */
  @Column('boolean', { default: false })
  shared!: boolean;
}
