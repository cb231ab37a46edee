import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../../platform/common/entity.js';
import type { ExportParams } from '../export-jobs.service.js';

@Entity('exporters')
export class Exporter extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  @Column('text')
  name!: string;

  /** The parameters of each export. */
  @Column('json')
  params!: ExportParams;

  @Column('boolean')
  only_new!: boolean;

  @Column('text', { nullable: true })
  cron_span!: string | null;

  @Column('text')
  time_zone!: string;

  @Column('uuid', { nullable: true })
  skript_id!: string | null;

  @Column('boolean')
  enabled!: boolean;

  /** When the next export is due; null if only a run or a call makes it due. */
  @Column('timestamptz', { nullable: true })
  next_at!: Date | null;

  /** When `next_at` was computed. */
  @Column('timestamptz')
  planned_at!: Date;

  /** When the last export that is done began to read. */
  @Column('timestamptz', { nullable: true })
  exported_until!: Date | null;

  /** The file with the ids of all documents that it has exported; null if none is known. See `ExportedIds`. */
  @Column('text', { nullable: true })
  exported_ids!: string | null;
}
