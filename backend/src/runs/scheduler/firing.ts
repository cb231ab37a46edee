import type { ApiErrorCode, CatchUp, FireReason, Overlap } from '@trawl/contracts';
import type { PreparedStart } from '../executions/start/prepared-start.js';
import type { DueFires } from './due-fires.js';

/** A schedule row as the scheduler reads it. */
export interface FiringSchedule {
  id: string;
  owner_id: string;
  owner_active: boolean;
  cron_span: string;
  time_zone: string;
  worker_id: string | null;
  skript_id: string;
  input_id: string | null;
  input_secret_id: string | null;
  overlap: Overlap;
  catch_up: CatchUp;
  retries: number | null;
  retry_delay_ms: number | null;
  next_fire_at: Date;
  /** `next_fire_at` as PostgreSQL's own text. It is compared later to find out whether the row has changed. */
  next_fire_text: string;
  version: string;
  /** The time of PostgreSQL's clock when the row was read. */
  now: Date;
}

export interface Refusal {
  code: FireReason | ApiErrorCode;
  message: string;
}

export const OWNER_DISABLED: Refusal = {
  code: 'owner_disabled',
  message: 'The account that owns the schedule is disabled.',
};

export const INTERNAL_ERROR: Refusal = {
  code: 'internal_error',
  message: 'An internal error prevented the start. An administrator can find details in the platform’s log.',
};

/** A fire that is prepared but not written yet. */
export interface Firing {
  schedule: FiringSchedule;
  /** `due`: its time has come; `queued`: taken from the schedule's queue; `manual`: triggered by an API call. */
  kind: 'due' | 'queued' | 'manual';
  /** The time of the fire that is to make a run. Null if every due fire was missed. */
  fireAt: Date | null;
  /** Set if `kind` is `due`. */
  due: DueFires | null;
  start: PreparedStart | null;
  /** Why `start` is null. */
  refusal: Refusal | null;
}

export interface ScheduleProblem {
  code: string;
  message: string;
}

/** The result of a fire. `problem`: why it made no run, or why no worker takes its run; null if all is well. */
export interface FireResult {
  scheduleId: string;
  problem: ScheduleProblem | null;
}
