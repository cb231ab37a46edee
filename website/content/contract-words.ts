import type {
  Action,
  ApiErrorCode,
  EchoType,
  Environment,
  LIMITS,
  QuotaName,
  RunErrorCode,
  SandboxLayerName,
  SandboxLevel,
  StorageErrorCode,
  WaitingReason,
  WorkerStatus,
} from '@trawl/contracts';

/** What the names in `@trawl/contracts` mean, in words for the docs. The names themselves always come from there. */
export const ACTION_WORDS: Record<Action, { kind: 'initial' | 'passing' | 'final'; meaning: string }> = {
  start: { kind: 'initial', meaning: 'The run was asked for. It waits for a worker, or its code is running.' },
  pause: { kind: 'passing', meaning: 'The run is frozen: its processes stand still, and its time limit with them.' },
  stop: {
    kind: 'final',
    meaning: 'Somebody stopped it. It has an output only if main.js returned in the time it was given.',
  },
  end: { kind: 'final', meaning: 'main.js returned. Its value is in output.' },
  error: { kind: 'final', meaning: 'It ended badly. error_code says how, error_stack where.' },
};

export const WAITING_WORDS: Record<WaitingReason, { meaning: string; remedy: string }> = {
  worker_offline: {
    meaning:
      'The worker that was asked for is not connected, or does not answer whether it takes the run. With any: no usable worker is connected.',
    remedy: 'Start the worker, or stop the run.',
  },
  worker_full: { meaning: 'Every slot of the worker is taken.', remedy: 'Wait for a run to end, or stop one.' },
  worker_restarting: {
    meaning: 'The worker was told to restart: it takes no more runs until it is back.',
    remedy: 'None needed; it comes back by itself when the runs on it have ended.',
  },
  no_suitable_worker: {
    meaning:
      'No worker that the run may go to has its environment and, unless you are one of the accounts of the first start, the full sandbox. With any it is looked for among all that you may use.',
    remedy: 'Ask an administrator for such a worker, or stop the run and choose another one.',
  },
  libraries_installing: {
    meaning:
      'The npm libraries that package.json names are being installed on the worker, for the first run with them.',
    remedy: 'Wait: later runs with the same libraries begin at once.',
  },
  process_starting: {
    meaning:
      'The worker has the run. The process for it, with its browser in the environment browser, is being started, or its code is on the way.',
    remedy: 'Wait: it takes seconds when many runs begin at once.',
  },
  storage_down: {
    meaning:
      'The run is under way and has called its storage, and MongoDB does not answer. It goes on when MongoDB is back; after half a minute the call throws.',
    remedy: 'Bring MongoDB back.',
  },
  retry_scheduled: {
    meaning: 'The try before it ended with an error. It begins at the time in until.',
    remedy: 'None needed; stop ends it, and with it the tries that would follow.',
  },
};

/** What the owner of a run can do about each error. */
export const RUN_ERROR_REMEDIES: Record<RunErrorCode, string> = {
  exception: 'Read error_stack: it names your file and line. Catch what you expect, let the rest end the run.',
  not_a_function: 'Write module.exports = async (input, inputSecret) => …, or export default with a function.',
  promise_never_settled:
    'Look for an await on something that nobody resolves: a missing callback, an event that never comes.',
  output_not_json: 'Return plain values. Circular references and BigInt cannot be written as JSON.',
  output_too_large: 'Store the rows in MongoDB and return their number.',
  time_limit: 'Raise worker_response_timeout, or do less in one run.',
  cpu_limit: 'Do less in one run, or ask the owner of the worker to raise TRAWL_RUN_CPU_S.',
  memory_limit:
    'Keep less at a time: read in pieces, insert in batches. Or ask the owner of the worker to raise TRAWL_RUN_MEMORY_MB.',
  process_limit: 'Start fewer processes at a time, or ask the owner of the worker to raise TRAWL_RUN_PROCESSES.',
  file_limit: 'Close files, remove those that are done with, or ask the owner of the worker to raise TRAWL_RUN_FILES.',
  disk_limit: 'Write less, remove what is done with, or ask the owner of the worker to raise TRAWL_RUN_DISK_MB.',
  echo_limit: 'Echo what a person will read, and keep data in storage.',
  process_ended: 'Look for process.exit in the skript; otherwise suspect memory and do the work in smaller parts.',
  bundle_unavailable: 'Start it again. If it stays, look at the connection between the worker and the platform.',
  libraries_failed:
    'Read error_stack: it has what npm said. Correct package.json, or look at the worker’s connection to the npm registry.',
  start_failed: 'Look at the log of the worker: it has the reason of the system it runs on.',
  worker_lost: 'Look at the worker’s machine, then start the run again. What it had stored and echoed by then stays.',
  worker_restarted: 'Start it again. What it had stored and echoed by then stays.',
  account_disabled: 'Ask an administrator to enable the account, then start it again.',
  worker_withdrawn: 'Choose another worker, or any.',
};

/** What each `error_code` of an HTTP answer tells, and what its reader can do. */
export const API_ERROR_WORDS: Record<ApiErrorCode, { meaning: string; remedy: string }> = {
  bad_request: { meaning: 'The request cannot be understood as HTTP or as an address.', remedy: 'Check the address.' },
  invalid_json: {
    meaning: 'The body is not valid JSON.',
    remedy: 'Check quotes and commas; error_message has the place.',
  },
  validation_failed: {
    meaning: 'A field or parameter has a value that it may not have, is missing, or is not known.',
    remedy: 'details lists each as { field, message }.',
  },
  unauthorized: {
    meaning: 'There is no token, or it is not valid any more.',
    remedy: 'Sign in and send the new token; of a key, make a new one.',
  },
  bad_login: { meaning: 'Username and password do not belong together.', remedy: 'Check both.' },
  forbidden: {
    meaning: 'Your account may not do this, or the scope of your API key does not cover it.',
    remedy: 'error_message says which. Use another key, or ask an administrator; for a start, see Skript execution.',
  },
  not_found: { meaning: 'There is no such thing, or it is not yours.', remedy: 'Look the id up again.' },
  no_live_run: {
    meaning: 'No run that goes on matches.',
    remedy: 'None needed: nothing is left to stop, pause or resume.',
  },
  conflict: {
    meaning:
      'It collides with something else that is or was going on, such as a first call with the same Idempotency-Key whose end nobody knows; or an administrator would disable, demote or delete their own account.',
    remedy: 'error_message says with what. Look how things are, then call again; with a new key, if it was the key.',
  },
  idempotency_key_reused: {
    meaning: 'The Idempotency-Key came with another call within the last day: another route, or other values.',
    remedy: 'Use a new key for each thing that you want done; the same one only to repeat the same call.',
  },
  archive_invalid: {
    meaning: 'The archive is no zip file that can be read, or has something in it that a skript cannot have.',
    remedy: 'error_message names the entry. Take it out or rename it, and make the archive again.',
  },
  manifest_missing: {
    meaning: 'The archive has no manifest.json.',
    remedy: 'Add one beside main.js, with at least a title.',
  },
  manifest_invalid: {
    meaning: 'A field in manifest.json has a value that it may not have, or is not known.',
    remedy: 'details lists each as { field, message }.',
  },
  title_taken: { meaning: 'You have a skript of this title.', remedy: 'Choose another, or change that one.' },
  name_taken: { meaning: 'The name is in use here, in upper or lower case.', remedy: 'Choose another.' },
  already_running: {
    meaning: 'The same run goes on. details.execution_id names it.',
    remedy: 'Wait, stop it, or start with force=true.',
  },
  last_administrator: {
    meaning: 'It would leave the platform without an administrator.',
    remedy: 'Make another administrator first.',
  },
  has_live_run: { meaning: 'A run of it goes on.', remedy: 'Stop the run or wait for its end, then try again.' },
  worker_offline: {
    meaning: 'The worker is not connected, so nothing can be asked of it.',
    remedy: 'Start it on its own machine; it takes up what waits for it.',
  },
  payload_too_large: {
    meaning: 'The body, or what it would store, is larger than a limit or quota allows.',
    remedy: 'error_message says which. Split it, or make room.',
  },
  unsupported_media_type: {
    meaning: 'The body is not marked as what the route takes.',
    remedy: 'Send Content-Type: application/json, with an archive application/zip.',
  },
  main_missing: { meaning: 'The skript has no main.js.', remedy: 'Add it.' },
  bundle_failed: {
    meaning: 'The files do not build.',
    remedy: 'details lists each place as { message, file, line, column, line_text }.',
  },
  environment_not_available: {
    meaning: 'No worker that the run may go to has the environment of the skript; python none has.',
    remedy: 'Choose another worker, or another environment.',
  },
  link_not_usable: {
    meaning: 'The link of an e-mail was used before, has run out, or was never sent.',
    remedy: 'Ask for a new one with Forgot password.',
  },
  pause_not_available: {
    meaning: 'The worker cannot make the processes of this run stand still; on Windows, none can.',
    remedy: 'Stop the run, or let it go on; runs on a worker under Linux can be paused.',
  },
  storage_rejected: { meaning: 'MongoDB refused the operation.', remedy: 'error_message has its reason.' },
  storage_duplicate_key: {
    meaning: 'There is a document with this _id, or with these values in a unique index, already.',
    remedy: 'error_message names the index. Change the document that is there, or leave it.',
  },
  quota_exceeded: {
    meaning: 'Your account has as much of it as it may have. details has quota, limit and used.',
    remedy:
      'Delete or end what you do not need, wait if Retry-After says for how long, or ask an administrator for more.',
  },
  too_many_requests: {
    meaning: 'Too many in too short a time, or at once.',
    remedy: 'Wait for the seconds in Retry-After.',
  },
  internal_error: {
    meaning: 'Something that nobody expected. The log has it under request_id.',
    remedy: 'Try again; if it stays, tell whoever runs the platform the request_id.',
  },
  storage_unavailable: { meaning: 'MongoDB does not answer.', remedy: 'Try again later.' },
  storage_outcome_unknown: {
    meaning: 'MongoDB was lost while it worked: the change may or may not have been made.',
    remedy: 'Look before you send it again. Documents with an _id of yours can be sent again at any time.',
  },
  service_unavailable: { meaning: 'The platform cannot serve this now.', remedy: 'Try again in a few seconds.' },
};

export const ECHO_WORDS: Record<EchoType, string> = {
  log: 'Text. Values are formatted as console.log formats them.',
  warn: 'Text, marked as a warning.',
  error: 'Text, marked as an error. An Error object brings its stack. The run goes on.',
  objekt: 'A value as JSON text. The panel shows it as a tree that can be opened.',
  image: 'A PNG, JPEG, GIF or WebP picture as a data: address.',
};

export const ENVIRONMENT_WORDS: Record<Environment, { here: boolean; meaning: string }> = {
  nodejs: { here: true, meaning: 'Node.js, of the version that the worker itself runs on.' },
  browser: { here: true, meaning: 'Node.js with a Chromium at hand, for Puppeteer. On workers that have one.' },
  python: { here: false, meaning: 'Python. Planned.' },
};

export const WORKER_STATUS_WORDS: Record<WorkerStatus, string> = {
  online: 'Connected, and takes runs.',
  draining: 'Told to restart: finishes what it has, takes nothing new, then comes back by itself.',
  restarting: 'Told to restart at once, or just gone to come back.',
  offline: 'Not connected.',
};

export const SANDBOX_WORDS: Record<SandboxLevel, string> = {
  full: 'All five layers hold. The worker may run skripts of everybody.',
  reduced: 'At least one layer is missing: a sandbox without it, or no sandbox but a user id of its own for each run.',
  none: 'An emptied environment and a folder of its own for each run, and nothing else.',
};

/** What each layer keeps apart, and what it needs where it is missing. */
export const SANDBOX_LAYER_WORDS: Record<SandboxLayerName, { meaning: string; remedy: string }> = {
  own_user: {
    meaning: 'A user id for each run that is on the worker: it can signal and read no other run, nor the worker.',
    remedy: 'Start the worker as root, on Linux.',
  },
  namespaces: {
    meaning:
      'Its own processes, files, IPC and host name, by bubblewrap. Of the machine a run sees the installed programs, read-only.',
    remedy:
      'Linux with user namespaces, which a container must be given, and bubblewrap 0.8.0 or newer: bwrap is taken from the PATH or fetched with apt; elsewhere install the package bubblewrap.',
  },
  syscalls: {
    meaning:
      'A filter of system calls (seccomp). What no skript needs, and what attacks on a kernel are made of, is refused.',
    remedy: 'It comes with bubblewrap, on x64 and arm64.',
  },
  limits: {
    meaning:
      'Memory, processes, processor time, files and disk of a run, by control groups of the kernel where the worker may make them, else watched.',
    remedy: 'It comes with bubblewrap. For control groups, start the worker as root or give its service Delegate=yes.',
  },
  egress: {
    meaning: 'No loopback, private or otherwise special address is reached, by rules of the kernel or by a proxy.',
    remedy: 'It comes with bubblewrap; for rules of the kernel the worker must be root.',
  },
};

export const STORAGE_ERROR_WORDS: Record<StorageErrorCode, string> = {
  storage_rejected: 'The operation, or an operator in it, is not allowed, or MongoDB refused it.',
  storage_duplicate_key: 'A unique index already holds that value.',
  storage_outcome_unknown: 'The connection broke and the operation is not safe to repeat: it may have happened or not.',
  storage_unavailable: 'MongoDB has not answered for 30 s.',
  storage_cursor_lost: 'The cursor of a long read is gone. Read again from where you were.',
  storage_too_large: 'The operation or its answer is larger than one may be.',
  storage_full:
    'Your databases have as many bytes as your account may have. Delete documents, or ask an administrator.',
  run_ended: 'The run is over; nothing is stored for it any more.',
};

export const QUOTA_WORDS: Record<QuotaName, string> = {
  skripts: 'Skripts',
  file_bytes: 'All files of all skripts',
  inputs: 'Inputs and input secrets of all skripts',
  runs_at_once: 'Runs that are not over',
  runs_per_day: 'Starts in one day of UTC',
  storage_bytes: 'Documents and indexes of all MongoDB databases',
  databases: 'MongoDB databases',
  api_keys: 'API keys that were not revoked',
  schedules: 'Schedules',
};

type Limits = typeof LIMITS;
/** Those that are one number. */
type LimitName = { [Name in keyof Limits]: Limits[Name] extends number ? Name : never }[keyof Limits];

/** Limits that somebody who writes skripts meets; the others are the platform's own affair. */
export const LIMIT_WORDS: Partial<Record<LimitName, { what: string; beyond: string }>> = {
  fileBytes: {
    what: 'One file of a skript',
    beyond: 'Saving it is refused with payload_too_large or validation_failed.',
  },
  skriptBytes: { what: 'All files of one skript together', beyond: 'Saving the file is refused.' },
  inputBytes: { what: 'One input or input secret, as JSON', beyond: 'Saving it, or starting with it, is refused.' },
  inputSchemaBytes: { what: 'The input_schema of a skript, as JSON', beyond: 'Saving it is refused.' },
  archiveBytes: { what: 'A skript as one archive', beyond: 'The upload is refused with payload_too_large.' },
  archiveUnpackedBytes: {
    what: 'All that is in such an archive',
    beyond: 'The upload is refused, and so is a download.',
  },
  outputBytes: { what: 'The output of main.js, as JSON', beyond: 'The run ends with output_too_large.' },
  errorStackChars: { what: 'error_stack', beyond: 'The rest is cut, and a marker says so.' },
  storageOperationBytes: {
    what: 'One storage operation, and one answer',
    beyond: 'The call throws storage_too_large.',
  },
  echoMsgChars: { what: 'The text of one echo', beyond: 'The rest is cut, and a marker says so.' },
  echoImageChars: { what: 'One image echo, as a data: address', beyond: 'A warn echo takes its place and says so.' },
  echoBytesPerRun: { what: 'Saved echoes of one run', beyond: 'What follows is not kept, and a marker says so.' },
};
