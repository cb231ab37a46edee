import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

/** One of a user's databases. `name` is the user's own word for it, `db_name` what it is called in MongoDB. */
@Entity('mongo_databases')
export class MongoDatabase extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  db_name!: string;
}
