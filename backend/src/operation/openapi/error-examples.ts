import type { ApiErrorCode } from '@trawl/contracts';

/** An example response for each error code. Only some codes have `details`. */
export const ERROR_EXAMPLES: Record<ApiErrorCode, { error_message: string; details?: unknown }> = {
  bad_request: { error_message: 'The body is nested too deeply: the limit is 1000 levels.' },
  invalid_json: { error_message: 'Body string is not valid JSON' },
  validation_failed: {
    error_message: 'limit must be a whole number between 1 and 1000; you sent 5000',
    details: [{ field: 'limit', message: 'limit must be a whole number between 1 and 1000; you sent 5000' }],
  },
  unauthorized: {
    error_message:
      'The token is missing or not valid. Send `Authorization: Bearer <token>` with an API key or the `jwtToken` of `POST /panel/login`.',
  },
  bad_login: { error_message: 'Bad Login' },
  forbidden: { error_message: 'This route requires the role admin; your role is developer.' },
  not_found: { error_message: 'There is no skript with the id 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071.' },
  no_live_run: { error_message: 'No live run matches these ids.' },
  conflict: {
    error_message:
      'The first call with this Idempotency-Key was interrupted on our side, and its result is unknown. Check whether it took effect. If not, call again with a new key.',
  },
  idempotency_key_reused: {
    error_message:
      'This Idempotency-Key was used for a call with a different route, different values or an API key of another scope. Use a new key for each operation.',
  },
  title_taken: { error_message: 'You already have a skript titled “Books catalogue”. Choose another title.' },
  name_taken: { error_message: 'The skript already has input.json.' },
  already_running: {
    error_message:
      'This skript is already running with the same worker, input and secret. Wait for it, stop it, or start with force=true.',
    details: { execution_id: '019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071' },
  },
  last_administrator: {
    error_message: 'ada@example.com is the last administrator who can sign in. Create another administrator first.',
  },
  worker_offline: {
    error_message: 'paris-1 is not connected, so Trawl cannot restart it. Start it on its own machine.',
  },
  has_live_run: { error_message: 'The skript is running. Stop the run or wait until it ends, then delete the skript.' },
  precondition_failed: {
    error_message:
      'main.js has changed since you read it. Read it again, then send your change with the new hash in If-Match.',
  },
  payload_too_large: { error_message: 'The body is too large: the limit of this route is 3145728 bytes.' },
  unsupported_media_type: {
    error_message: 'The body must be JSON with the header `Content-Type: application/json`; you sent text/plain.',
  },
  archive_invalid: {
    error_message: '"main.js" in the archive is not UTF-8 text; save it as UTF-8.',
    details: { entry: 'main.js' },
  },
  manifest_missing: {
    error_message: 'The archive has no manifest.json. Add one with at least a title: { "title": "…" }.',
  },
  manifest_invalid: {
    error_message: 'manifest.json: retries must be a whole number between 0 and 10; you sent 12',
    details: [{ field: 'retries', message: 'retries must be a whole number between 0 and 10; you sent 12' }],
  },
  main_missing: {
    error_message: 'The skript has no file main.js, where a run starts. Add it and export an async function from it.',
  },
  bundle_failed: {
    error_message: 'main.js:3:7: Expected ";" but found "of"',
    details: [
      { message: 'Expected ";" but found "of"', file: 'main.js', line: 3, column: 7, line_text: 'const of of rows' },
    ],
  },
  environment_not_available: {
    error_message: 'The environment `python` is not supported yet. Use `nodejs` or `browser`.',
  },
  pause_not_available: {
    error_message:
      'The worker cannot pause this run: This system has no /proc, which the worker needs to find the processes of a run. The run continues.',
  },
  storage_rejected: { error_message: 'Document failed validation' },
  link_not_usable: { error_message: 'This link was already used or has expired. Request a new one.' },
  quota_exceeded: {
    error_message: 'You reached your quota of 100 skripts; you have 100. Delete one, or ask an administrator for more.',
    details: { quota: 'skripts', limit: 100, used: 100 },
  },
  too_many_requests: { error_message: 'Too many calls from your address. Wait 42 seconds, then try again.' },
  internal_error: {
    error_message:
      'Something went wrong on our side. Try again. If it fails again, give the request id to your administrator, who can find the cause in the log.',
  },
  storage_duplicate_key: { error_message: 'A document with { _id: 7 } (index _id_) already exists.' },
  storage_outcome_unknown: {
    error_message:
      'The connection to MongoDB broke before it answered, so the call may have changed some documents. Check the data before you send it again: a repeat could change it twice.',
  },
  delivery_failed: {
    error_message:
      'Trawl could not deliver the file, and deleted it: the call of hooks.example.com failed: the server answered 500',
  },
  storage_unavailable: { error_message: 'MongoDB cannot be reached right now. Try again in a few seconds.' },
  service_unavailable: { error_message: 'The database is unavailable. Try again in a few seconds.' },
};
