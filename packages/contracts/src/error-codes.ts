/** Every `error_code` that an HTTP answer may carry, with its status. A closed list: clients may switch on it. */
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
  storage_unavailable: 503,
  storage_outcome_unknown: 503,
  service_unavailable: 503,
} as const;
export type ApiErrorCode = keyof typeof API_ERRORS;

/** Every `error_code` that a run may end with when its `action` is `error`, and what it tells the owner. */
export const RUN_ERRORS = {
  exception: 'The skript threw an error.',
  not_a_function: 'main.js does not export a function.',
  promise_never_settled: 'main.js returned a promise that can never settle.',
  output_not_json: 'What main.js returned cannot be written as JSON.',
  output_too_large: 'What main.js returned is larger than an output may be.',
  time_limit:
    'The run took longer than its time limit: timeout_ms of the start, else worker_response_timeout of the skript.',
  cpu_limit: 'The run used more processor time than a run may.',
  memory_limit: 'The run needed more memory than a run may have.',
  process_limit: 'The run started more processes and threads than a run may have.',
  file_limit: 'The run made or opened more files than a run may have.',
  disk_limit: 'The run wrote more to disk than a run may.',
  echo_limit: 'The run went on sending echoes, faster than they are taken, long after all that are kept were sent.',
  process_ended: 'The process of the run ended before main.js returned.',
  bundle_unavailable: 'The worker could not load the bundle.',
  libraries_failed: 'The libraries that package.json names could not be installed on the worker.',
  start_failed: 'The worker could not start a process for the run.',
  worker_lost: 'The worker was lost while the run was on it.',
  worker_restarted: 'The worker was told to restart at once while the run was on it.',
  account_disabled: 'The account was disabled while the run waited for a worker or for its next try.',
  worker_withdrawn: 'The worker was deleted, or taken from the account, before the run was over.',
} as const;
export type RunErrorCode = keyof typeof RUN_ERRORS;

/** What the sandbox of a worker ends a run with. */
export const SANDBOX_LIMITS = [
  'cpu_limit',
  'memory_limit',
  'process_limit',
  'file_limit',
  'disk_limit',
] as const satisfies readonly RunErrorCode[];
export type SandboxLimit = (typeof SANDBOX_LIMITS)[number];

/** Endings that another try may help, of a run that is to be tried again. The others would come again, or were wanted. */
export const RETRIED_ERRORS = [
  'exception',
  'time_limit',
  'process_ended',
  'bundle_unavailable',
  'libraries_failed',
  'start_failed',
  'worker_lost',
  'worker_restarted',
] as const satisfies readonly RunErrorCode[];

/** Every code that a storage call inside a skript may throw with. */
export const STORAGE_ERRORS = [
  'storage_rejected',
  'storage_duplicate_key',
  'storage_outcome_unknown',
  'storage_unavailable',
  'storage_cursor_lost',
  'storage_too_large',
  'storage_full',
  'run_ended',
] as const;
export type StorageErrorCode = (typeof STORAGE_ERRORS)[number];

/** Body of every HTTP error. */
export interface ApiErrorBody {
  error_message: string;
  error_code: ApiErrorCode;
  /** For `validation_failed`: `[{ field, message }]`; for `bundle_failed`: `BundleProblem[]`. */
  details?: unknown;
  request_id: string;
}

/** A place in the user's own files; `line` and `column` count from 1. */
export interface BundleProblem {
  message: string;
  file: string | null;
  line: number | null;
  column: number | null;
  /** The text of that line. */
  line_text: string | null;
}
