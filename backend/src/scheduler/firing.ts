import type { ApiErrorCode, CatchUp, FireReason, Overlap } from '@trawl/contracts';
import type { PreparedStart } from '../executions/starts.service.js';
import type { DueFires } from './due-fires.js';

/** A schedule as the scheduler reads it. */
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
  /** As PostgreSQL writes them, to be compared with what it has. */
  next_fire_text: string;
  version: string;
  /** PostgreSQL's clock. */
  now: Date;
}

export interface Refusal {
  code: FireReason | ApiErrorCode;
  message: string;
}

export const OWNER_DISABLED: Refusal = {
  code: 'owner_disabled',
  message: 'The account that the schedule belongs to was disabled.',
};

export const NOT_POSSIBLE: Refusal = {
  code: 'internal_error',
  message: 'An error of the platform prevented the start. The log of the platform says more.',
};

/** A fire that was looked into and is still to be written. */
export interface Firing {
  schedule: FiringSchedule;
  /** By the clock, out of the schedule's queue, or by a call. */
  kind: 'due' | 'queued' | 'manual';
  /** Null when all that was due was missed. */
  fireAt: Date | null;
  /** Of one by the clock. */
  due: DueFires | null;
  start: PreparedStart | null;
  /** Why there is no start. */
  refusal: Refusal | null;
}
