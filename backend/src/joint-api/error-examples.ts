import type { ApiErrorCode } from '@trawl/contracts';

/** What an answer of each code may say. `details` only where the code has some. */
export const ERROR_EXAMPLES: Record<ApiErrorCode, { error_message: string; details?: unknown }> = {
  bad_request: { error_message: 'A value in the body is nested more than 1000 levels deep.' },
  invalid_json: { error_message: 'Body string is not valid JSON' },
  validation_failed: {
    error_message: 'limit must not be greater than 1000',
    details: [{ field: 'limit', message: 'limit must not be greater than 1000' }],
  },
  unauthorized: { error_message: 'A valid token is needed: send `Authorization: Bearer <token>`.' },
  bad_login: { error_message: 'Bad Login' },
  forbidden: { error_message: 'This route is for the role admin; you are signed in as developer.' },
  not_found: { error_message: 'There is no skript with the id 019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071.' },
  no_live_run: { error_message: 'No run that goes on matches.' },
  conflict: { error_message: 'This Idempotency-Key was used for another call.' },
  idempotency_key_reused: { error_message: 'This Idempotency-Key came with another call before.' },
  title_taken: { error_message: 'You have a skript with the title Books catalogue already.' },
  name_taken: { error_message: 'The name input.json is taken.' },
  already_running: { error_message: 'The same run is under way. Send force=true to start another.' },
  last_administrator: {
    error_message: 'ada@example.com is the last administrator who can sign in. Make another one first.',
  },
  worker_offline: { error_message: 'The worker paris-1 is not connected. Start it where it runs.' },
  has_live_run: { error_message: 'The skript has a run that goes on. Stop it first.' },
  payload_too_large: { error_message: 'The body is larger than the 3145728 bytes that this route takes.' },
  unsupported_media_type: {
    error_message: 'The body must be JSON, with the header Content-Type: application/json; its type is text/plain.',
  },
  archive_invalid: {
    error_message: '"logo.png" in the archive is not text in UTF-8; the files of a skript are text, so leave it out.',
    details: { entry: 'logo.png' },
  },
  manifest_missing: { error_message: 'The archive has no manifest.json.' },
  manifest_invalid: {
    error_message: 'manifest.json: retries must not be greater than 10',
    details: [{ field: 'retries', message: 'retries must not be greater than 10' }],
  },
  main_missing: { error_message: 'The skript has no main.js.' },
  bundle_failed: {
    error_message: 'main.js:3:7: Expected ";" but found "of"',
    details: [
      { message: 'Expected ";" but found "of"', file: 'main.js', line: 3, column: 7, line_text: 'const of of rows' },
    ],
  },
  environment_not_available: { error_message: 'The environment python cannot be run yet.' },
  pause_not_available: {
    error_message: 'The worker cannot pause this run: its system does not show what a run started.',
  },
  storage_rejected: { error_message: 'MongoDB refused it: Document failed validation' },
  link_not_usable: { error_message: 'This link was used already, or its time is over. Ask for a new one.' },
  quota_exceeded: { error_message: 'You have 100 skripts, which is as many as your account may have.' },
  too_many_requests: { error_message: 'Too many tries from this address. Wait 42 seconds, then try again.' },
  internal_error: { error_message: 'Something went wrong on our side. The request id helps to find out what.' },
  storage_duplicate_key: { error_message: 'There is a document with { _id: 7 } (index _id_) already.' },
  storage_outcome_unknown: {
    error_message:
      'The connection to MongoDB broke before it answered: the call may or may not have been done, and doing it twice could change the data twice.',
  },
  storage_unavailable: { error_message: 'MongoDB cannot be reached right now. Try again in a few seconds.' },
  service_unavailable: { error_message: 'The database cannot be reached right now. Try again in a few seconds.' },
};
