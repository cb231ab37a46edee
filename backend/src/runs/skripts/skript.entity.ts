import type { Environment } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../platform/common/entity.js';

/** The fields of a skript that users set, in the order of a manifest. */
export const EDITABLE = [
  'title',
  'description',
  'thumbnail',
  'category',
  'environment',
  'worker_response_timeout',
  'time_limit_ms',
  'warm',
  'retries',
  'retry_delay_ms',
  'input_schema',
] as const;

@Entity('skripts')
export class Skript extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  @Column('text')
  title!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('text', { default: '' })
  thumbnail!: string;

  @Column('text', { default: 'general' })
  category!: string;

  @Column('text', { default: 'nodejs' })
  environment!: Environment;

  /** How long the caller of a start waits, in ms. */
  @Column('integer', { default: 180_000 })
  worker_response_timeout!: number;

  /** How long a run may take, in ms. */
  @Column('integer', { default: 3_600_000 })
  time_limit_ms!: number;

  @Column('boolean', { default: false })
  warm!: boolean;

  @Column('integer', { default: 0 })
  retries!: number;

  /** In ms. */
  @Column('integer', { default: 5_000 })
  retry_delay_ms!: number;

  @Column('json', { nullable: true })
  input_schema!: object | null;

  @Column('text', { nullable: true })
  bundle_hash!: string | null;

  /** True if the bundle is missing or older than the files. */
  @Column('boolean', { default: true })
  stale!: boolean;
}
