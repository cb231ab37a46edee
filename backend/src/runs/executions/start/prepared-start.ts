import type { Replay } from '@trawl/contracts';
import type { ApiError } from '../../../platform/common/errors.js';
import type { RunnableSkript } from '../../skripts/bundles/bundles.service.js';
import type { RunPayload } from '../dispatch/offered-run.js';
import type { Target } from './start-targets.service.js';

export interface StartRequest {
  workerId: string;
  skriptId: string;
  force: boolean;
  /** If `timeoutMs`, `retries` or `retryDelayMs` is missing, the skript's setting applies. */
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  retryDelayMs?: number | undefined;
  idempotencyKey?: string;
  /** Whether the run is recorded, if the skript does not say so anyway. */
  record?: boolean | undefined;
  /** The run is a replay. */
  replay?: Replay;
  /** Hash of the version of the skript to run. Default: its current files. */
  version?: string;
  /** The schedule that fires. */
  scheduleId?: string;
  input: { id: string } | { value: unknown } | null;
  inputSecret: { id: string } | { value: unknown } | null;
}

/** An input or secret. It is saved, or was sent with the call; then `id` and `name` are null. `json` is JSON text. */
export interface Value {
  id: string | null;
  name: string | null;
  json: string;
}

/** Time limit of each attempt, number of retries, and the delay before each. */
export interface Attempts {
  timeoutMs: number;
  retries: number;
  retryDelayMs: number;
}

/**
 * A start that is ready to be inserted: everything it needs is looked up, and a slot is reserved if a worker has a free
 * one.
 */
export interface PreparedStart {
  id: string;
  ownerId: string;
  request: StartRequest;
  skript: RunnableSkript;
  attempts: Attempts;
  target: Target;
  input: Value | null;
  inputSecret: Value | null;
  /** The backend that builds the bundle after the insert; null if there is a bundle. */
  builder: string | null;
  /** Two starts with the same key must not be live at the same time, except with `force`. */
  liveKey: Buffer;
  /** The same digest by the other secret, if the secret is being rotated. */
  otherLiveKey: Buffer | undefined;
  values: RunPayload;
  /** `values`, sealed. */
  payload: Buffer;
  /** Set if skript and worker come from the cache: the insert checks that they are unchanged. */
  expected?: { skriptVersion: string; workerKey: Buffer };
  /** SHA-256 of the key of the worker that the run is committed to, as read by the insert. */
  workerKey?: Buffer | null;
}

export interface StartedRun {
  id: string;
  /** Number of retries that may follow. */
  retries: number;
  /** How long the caller waits for the end, in ms, unless it says otherwise. */
  workerResponseTimeoutMs: number;
  /** True if an earlier call with the same idempotency key has started the run. */
  isJoined: boolean;
}

/**
 * The result of a start: the id of its execution, the id of an earlier execution with the same idempotency key, or the
 * error with which the start was refused.
 */
export type Inserted = string | ApiError;

/**
 * Returns whether a start may share a statement with others. Large starts are inserted separately, because they would
 * delay the others.
 */
export const isSmall = ({ payload }: PreparedStart): boolean => payload.length <= 16 * 1024;
