/** Every `error_code` of an HTTP response, with its status. The list is complete, so clients can switch on it. */
export const API_ERRORS = {
  bad_request: 400,
  invalid_json: 400,
  validation_failed: 400,
  unauthorized: 401,
  bad_login: 401,
  forbidden: 403,
  not_found: 404,
  no_live_run: 404,
  conflict: 409,
  title_taken: 409,
  name_taken: 409,
  idempotency_key_reused: 409,
  already_running: 409,
  has_live_run: 409,
  storage_duplicate_key: 409,
  last_administrator: 409,
  worker_offline: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  archive_invalid: 422,
  manifest_missing: 422,
  manifest_invalid: 422,
  main_missing: 422,
  bundle_failed: 422,
  environment_not_available: 422,
  pause_not_available: 422,
  storage_rejected: 422,
  link_not_usable: 422,
  too_many_requests: 429,
  quota_exceeded: 429,
  internal_error: 500,
  delivery_failed: 502,
  storage_unavailable: 503,
  storage_outcome_unknown: 503,
  service_unavailable: 503,
} as const;
export type ApiErrorCode = keyof typeof API_ERRORS;

/** Every `error_code` of a run whose `action` is `error`, with its explanation for the owner. */
export const RUN_ERRORS = {
  exception: 'The skript threw an error.',
  not_a_function: 'main.js does not export a function.',
  promise_never_settled: 'main.js returned a promise that can never settle.',
  output_not_json: 'main.js returned a value that JSON cannot represent.',
  output_too_large: 'main.js returned more than the maximum output size.',
  time_limit: 'The run exceeded its time limit: timeout_ms of the start, otherwise time_limit_ms of the skript.',
  pause_limit: 'The run was paused for longer than the platform allows.',
  cpu_limit: 'The run exceeded its limit of processor time.',
  memory_limit: 'The run exceeded its memory limit.',
  process_limit: 'The run exceeded its limit of processes and threads.',
  file_limit: 'The run exceeded its limit of created or open files.',
  disk_limit: 'The run exceeded its limit of disk space.',
  echo_limit: 'The run sent far more echoes than Trawl saves for a run.',
  process_ended: 'The process of the run exited before main.js returned.',
  replay_miss: 'The replay sent a request to which the record has no answer.',
  rows_broken: 'The rows of the run are broken, and the contract of its skript says `on_broken: fail`.',
  bundle_failed: 'The bundle of the skript could not be built after the run had been accepted.',
  bundle_unavailable: 'The worker could not download the bundle.',
  libraries_failed: 'The libraries in package.json could not be found in the npm registry, or not be installed.',
  start_failed: 'The worker could not start a process for the run.',
  worker_lost: 'The platform lost contact with the worker during the run.',
  worker_restarted: 'The worker restarted without waiting for the run.',
  account_disabled: 'An administrator disabled the account while the run waited for a worker or a retry.',
  worker_withdrawn: 'An administrator deleted the worker, or removed the account’s access to it, before the run ended.',
} as const;
export type RunErrorCode = keyof typeof RUN_ERRORS;

/** The error codes of runs that the worker's sandbox ended because they exceeded a limit. */
export const SANDBOX_LIMITS = [
  'cpu_limit',
  'memory_limit',
  'process_limit',
  'file_limit',
  'disk_limit',
] as const satisfies readonly RunErrorCode[];
export type SandboxLimit = (typeof SANDBOX_LIMITS)[number];

/**
 * The errors after which a run with `retries` is retried. After all other errors a retry would fail again, or somebody
 * ended the run on purpose.
 */
export const RETRYABLE_ERRORS = [
  'exception',
  'time_limit',
  'process_ended',
  'rows_broken',
  'bundle_unavailable',
  'libraries_failed',
  'start_failed',
  'worker_lost',
  'worker_restarted',
] as const satisfies readonly RunErrorCode[];

/** Every `code` of an error that a storage call in a skript throws. */
export const STORAGE_ERRORS = [
  'storage_rejected',
  'storage_duplicate_key',
  'storage_outcome_unknown',
  'storage_unavailable',
  'storage_cursor_lost',
  'storage_transaction_lost',
  'storage_too_large',
  'storage_full',
  'run_ended',
] as const;
export type StorageErrorCode = (typeof STORAGE_ERRORS)[number];

/** Body of every HTTP error response. */
export interface ApiErrorBody {
  error_message: string;
  error_code: ApiErrorCode;
  /** For `validation_failed`: `[{ field, message }]`; for `bundle_failed`: `BundleProblem[]`. */
  details?: unknown;
  request_id: string;
}

/** A build error and its position in the user's files; `line` and `column` count from 1. */
export interface BundleProblem {
  message: string;
  file: string | null;
  line: number | null;
  column: number | null;
  /** The text of that line. */
  line_text: string | null;
}
