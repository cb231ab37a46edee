import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../platform/common/entity.js';
import type { MovePlan } from './moving/move-rows.js';
import type { Encoding } from './parsing/encodings.js';
import type { Format } from './reading/rows.js';

@Entity('imports')
export class Import extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  /** Name of the uploaded file. */
  @Column('text')
  name!: string;

  @Column('bigint', { transformer: { from: Number, to: Number } })
  bytes!: number;

  /** Null until the whole file is uploaded; `none` for a workbook, Parquet and a compressed file. */
  @Column('text', { nullable: true })
  encoding!: Encoding | 'none' | null;

  @Column('uuid', { nullable: true })
  job_id!: string | null;

  /** Where the last start put the rows, and how it read them. */
  @Column('uuid', { nullable: true })
  db_id!: string | null;

  @Column('text', { nullable: true })
  collection!: string | null;

  /** The schema and the name of a table in PostgreSQL. */
  @Column('text', { nullable: true })
  table_schema!: string | null;

  @Column('text', { nullable: true })
  table_name!: string | null;

  @Column('text', { nullable: true })
  format!: Format | null;

  @Column('integer')
  bad_rows!: number;

  @Column('text', { nullable: true })
  staging_db!: string | null;

  @Column('text', { nullable: true })
  staging!: string | null;

  /**
   * The first 8 bytes of the `_id`s of its rows, in hex; null until rows are moved. If the move is given up, a later start
   * uses them again, so that it does not add the same rows twice.
   */
  @Column('text', { nullable: true })
  id_prefix!: string | null;

  @Column('json', { nullable: true })
  move!: MovePlan | null;

  @Column('integer')
  moved_to!: number;
}
