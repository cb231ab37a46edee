import type { ApiErrorCode } from '@trawl/contracts';
import { Column, Entity } from 'typeorm';
import { BaseRow } from '../common/entity.js';

export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Counts that a job reports while it runs, such as `{ rows: 1000 }`. */
export type JobProgress = Record<string, number>;

@Entity('jobs')
export class Job<Params = unknown, Result = unknown> extends BaseRow {
  @Column('uuid')
  owner_id!: string;

  /** The name under which `JobKinds` has the code of the job. */
  @Column('text')
  kind!: string;

  @Column('json')
  params!: Params;

  @Column('text')
  state!: JobState;

  @Column('json')
  progress!: JobProgress;

  /** The value that the job's code returned; null until the job is done. */
  @Column('json', { nullable: true })
  result!: Result | null;

  @Column('text', { nullable: true })
  error_code!: ApiErrorCode | null;

  @Column('text', { nullable: true })
  error_message!: string | null;

  @Column('integer')
  attempt!: number;

  @Column('timestamptz', { nullable: true })
  started_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  ended_at!: Date | null;
}
