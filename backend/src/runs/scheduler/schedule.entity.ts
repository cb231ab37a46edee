import type { CatchUp, Overlap } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../../platform/common/entity.js';

@Entity('schedules')
export class Schedule extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  cron_span!: string;

  @Column('text')
  time_zone!: string;

  @Column('text', { default: '' })
  job_name!: string;

  /** Null means any worker. */
  @Column('uuid', { nullable: true })
  worker_id!: string | null;

  @Column('uuid')
  skript_id!: string;

  @Column('uuid', { nullable: true })
  input_id!: string | null;

  @Column('uuid', { nullable: true })
  input_secret_id!: string | null;

  @Column('text')
  overlap!: Overlap;

  @Column('text')
  catch_up!: CatchUp;

  /** Number of retries of each run. Null means that the skript's setting applies. */
  @Column('integer', { nullable: true })
  retries!: number | null;

  @Column('integer', { nullable: true })
  retry_delay_ms!: number | null;

  @Column('boolean')
  enabled!: boolean;

  /** Null if the schedule is disabled or has no fire left. */
  @Column('timestamptz', { nullable: true })
  next_fire_at!: Date | null;

  /** Times of the latest runs, newest first. */
  @Column('timestamptz', { array: true, default: '{}' })
  triggered!: Date[];

  /** Number of runs made. */
  @Column('integer', { default: 0 })
  counter!: number;

  /**
   * The code that says why the latest fire made no run, or why no worker takes its run. Null if there is no problem.
   */
  @Column('text', { nullable: true })
  problem_code!: string | null;

  @Column('text', { nullable: true })
  problem!: string | null;

  @Column('timestamptz', { nullable: true })
  problem_since!: Date | null;
}
