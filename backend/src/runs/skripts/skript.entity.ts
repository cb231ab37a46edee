import type { Environment, RecordMode } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../platform/common/entity.js';

/** The fields of a skript that users set and a manifest has, in its order. */
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
  'keep_exchanges',
  'polite',
  'proxy',
  'input_schema',
  'rows',
] as const;

/** Fields that no manifest has. Setting them is no change of the skript. */
export const LABELS = ['tags', 'favourite', 'record'] as const;

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

  @Column('boolean', { default: true })
  keep_exchanges!: boolean;

  @Column('boolean', { default: false })
  polite!: boolean;

  /** Name of a pool of proxies of the owner, which need not exist yet. */
  @Column('text', { nullable: true })
  proxy!: string | null;

  @Column('json', { nullable: true })
  input_schema!: object | null;

  /** The `RowContract`: what the rows of each run must be like. */
  @Column('json', { nullable: true })
  rows!: object | null;

  /** In the order in which the user gave them. */
  @Column('text', { array: true, default: '{}' })
  tags!: string[];

  @Column('boolean', { default: false })
  favourite!: boolean;

  @Column('text', { default: 'off' })
  record!: RecordMode;

  @Column('text', { nullable: true })
  bundle_hash!: string | null;

  /** True if the bundle is missing or older than the files. */
  @Column('boolean', { default: true })
  stale!: boolean;
}
