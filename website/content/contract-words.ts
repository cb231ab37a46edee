import type {
  Action,
  ApiErrorCode,
  EchoType,
  Environment,
  RunErrorCode,
  SandboxLayerName,
  SandboxLevel,
  StorageErrorCode,
  WaitingReason,
  WorkerStatus,
} from '@trawl/contracts';

/** Meaning of each state of a run, for the docs. A test checks that every name in `@trawl/contracts` is explained. */
export const ACTION_WORDS: Record<Action, { kind: 'initial' | 'passing' | 'final'; meaning: string }> = {
  start: { kind: 'initial', meaning: 'The run has been accepted. It waits for a worker, or its code is running.' },
  pause: {
    kind: 'passing',
    meaning: 'Somebody paused the run. Its processes are frozen, and its time limit does not count.',
  },
  stop: {
    kind: 'final',
    meaning: 'A user stopped the run. The run has an output only if main.js returned within the grace period.',
  },
  end: { kind: 'final', meaning: 'main.js returned. Its return value is in output.' },
  error: { kind: 'final', meaning: 'The run failed. error_code says why, and error_stack says where in your code.' },
};

export const WAITING_WORDS: Record<WaitingReason, { meaning: string; remedy: string }> = {
  worker_offline: {
    meaning:
      'The worker that you chose is not connected, or did not answer the offer of the run. If you chose any, no worker that you can use is connected.',
    remedy: 'Start the worker, or stop the run.',
  },
  worker_full: {
    meaning: 'All slots of the worker are taken, or your runs have all slots that one account may take.',
    remedy: 'Wait for a run to end, or stop one.',
  },
  worker_restarting: {
    meaning: 'The worker is restarting and accepts no runs until it is back.',
    remedy: 'Wait. The worker comes back when its runs have ended.',
  },
  no_suitable_worker: {
    meaning:
      'No worker that you can use supports the environment, or no worker that supports it has the full sandbox. The two accounts of the first start need no full sandbox.',
    remedy: 'Ask an administrator for a suitable worker, or stop the run and choose another worker.',
  },
  libraries_resolving: {
    meaning:
      'Trawl asks the npm registry for the versions of the libraries in package.json, and this takes longer than a second. The run has no bundle yet. While Trawl resolves the libraries of other skripts first, place is the position in the queue, and of is the length of the queue. After that, packages is the number of packages that npm has found so far. This time does not count for the time limit of the run.',
    remedy:
      'Wait. The run goes to a worker when Trawl knows the versions. If there are no such versions, the run ends with an error.',
  },
  libraries_installing: {
    meaning:
      'The worker is installing the npm libraries in package.json. The worker installs them before the first run that uses them. While the worker installs libraries of other skripts first, place is the position in the queue, and of is the length of the queue.',
    remedy: 'Wait. Later runs with the same libraries start at once.',
  },
  process_starting: {
    meaning:
      'The worker has accepted the run. It is downloading the code of the run, or starting its process. In the environment browser, it also starts a browser.',
    remedy: 'Wait. This takes seconds when many runs start at once.',
  },
  storage_down: {
    meaning:
      'The run called its storage, and MongoDB does not answer. The run continues when MongoDB answers again. After 30 seconds the call throws.',
    remedy: 'Restore MongoDB.',
  },
  retry_scheduled: {
    meaning: 'The previous attempt failed. The next attempt starts at the time in until.',
    remedy: 'Wait, or stop the run to cancel all further attempts.',
  },
  maintenance: {
    meaning: 'An administrator works on the platform. Workers get no new runs until the maintenance ends.',
    remedy: 'Wait. The run starts automatically when the maintenance ends.',
  },
};

/** For each error code of a run: what the owner of the run can do about it. */
export const RUN_ERROR_REMEDIES: Record<RunErrorCode, string> = {
  exception: 'Read error_stack: it names the file and line in your code. Catch the errors that you expect.',
  not_a_function: 'Write module.exports = async (input, inputSecret) => …, or export a function as the default export.',
  promise_never_settled:
    'Look for an await on a promise that nothing resolves: a missing callback, or an event that never fires.',
  output_not_json: 'Return plain values. JSON cannot represent circular references or BigInt.',
  output_too_large: 'Store the rows in MongoDB and return their number.',
  time_limit: 'Raise time_limit_ms, or do less in one run.',
  pause_limit: 'Resume the run earlier, or ask the operator for a longer TRAWL_MAX_PAUSE_MS.',
  cpu_limit: 'Do less in one run, or ask the operator of the worker to raise TRAWL_RUN_CPU_S.',
  memory_limit:
    'Keep less data in memory: read it in parts, and insert rows in batches. Or ask the operator of the worker to raise TRAWL_RUN_MEMORY_MB.',
  process_limit: 'Start fewer processes at a time, or ask the operator of the worker to raise TRAWL_RUN_PROCESSES.',
  file_limit:
    'Close files, delete files that you no longer need, or ask the operator of the worker to raise the limit that the error names.',
  disk_limit:
    'Write less, delete files that you no longer need, or ask the operator of the worker to raise TRAWL_RUN_DISK_MB.',
  echo_limit: 'Echo only what people will read, and store data in a database.',
  process_ended:
    'Look for process.exit in the skript. If there is none, the process probably ran out of memory: do the work in smaller parts.',
  replay_miss:
    'Compare the request in error_stack with the nearest recorded one. Repeat the replay with on_miss=network, or record a new run.',
  rows_broken:
    'Read error_stack: it names the rows that the contract refuses. Correct the skript, or change its contract.',
  bundle_failed: 'Read error_stack: it names the file and line. Correct the files, then start the run again.',
  bundle_unavailable: 'Start the run again. If it fails again, check the connection between worker and platform.',
  libraries_failed:
    'Read error_stack: it contains the message of npm. Correct package.json, or check the worker’s connection to the npm registry.',
  start_failed: 'Look at the log of the worker: it contains the error of the operating system.',
  worker_lost: 'Check the worker’s machine, then start the run again. Stored data and delivered echoes remain.',
  worker_restarted: 'Start the run again. Stored data and delivered echoes remain.',
  account_disabled: 'Ask an administrator to enable the account, then start the run again.',
  worker_withdrawn: 'Choose another worker, or any.',
};

/** Meaning of each `error_code` of an HTTP response, and its remedy. */
export const API_ERROR_WORDS: Record<ApiErrorCode, { meaning: string; remedy: string }> = {
  bad_request: { meaning: 'The request is not valid HTTP, or its URL is malformed.', remedy: 'Check the URL.' },
  invalid_json: {
    meaning: 'The body is not valid JSON.',
    remedy: 'Check quotes and commas. error_message names the position.',
  },
  validation_failed: {
    meaning: 'A field or parameter is missing, unknown or invalid.',
    remedy: 'details lists each as { field, message }.',
  },
  unauthorized: {
    meaning: 'The token is missing, invalid or expired.',
    remedy: 'Sign in again and send the new token, or create a new API key.',
  },
  bad_login: { meaning: 'The username or the password is wrong.', remedy: 'Check both.' },
  forbidden: {
    meaning: 'Your account does not have the permission, or the scope of your API key does not include the route.',
    remedy:
      'error_message tells you the reason. Use another key, or ask an administrator. If you were starting a run, see Skript execution.',
  },
  not_found: { meaning: 'The resource does not exist, or it is not yours.', remedy: 'Check the id.' },
  no_live_run: {
    meaning: 'No live run matches the request.',
    remedy: 'You do not need to do anything: there is no run to stop, pause or resume.',
  },
  conflict: {
    meaning:
      'The request conflicts with the current state. Examples: the outcome of an earlier call with the same Idempotency-Key is unknown, or administrators try to disable, demote or delete their own account.',
    remedy:
      'error_message names the conflict. Check the current state, then repeat the call. If needed, use a new key.',
  },
  idempotency_key_reused: {
    meaning:
      'Within the last day, you used the Idempotency-Key for a different call: for another route or with other values.',
    remedy: 'Use a new key for each operation, and the same key only to repeat the same call.',
  },
  archive_invalid: {
    meaning: 'The archive is not a readable zip file, or contains an entry that a skript cannot have.',
    remedy: 'error_message names the entry. Remove or rename it, and create the archive again.',
  },
  manifest_missing: {
    meaning: 'The archive has no manifest.json.',
    remedy: 'Add a manifest.json next to main.js. It needs at least a title.',
  },
  manifest_invalid: {
    meaning: 'A field in manifest.json is unknown or invalid.',
    remedy: 'details lists each as { field, message }.',
  },
  title_taken: {
    meaning: 'You already have a skript with this title.',
    remedy: 'Choose another title, or change the other skript.',
  },
  name_taken: { meaning: 'The name is already in use. Names ignore case.', remedy: 'Choose another name.' },
  already_running: {
    meaning: 'The same run is already in progress. details.execution_id identifies it.',
    remedy: 'Wait, stop that run, or start with force=true.',
  },
  last_administrator: {
    meaning: 'The change would leave the platform without an administrator.',
    remedy: 'Add another administrator first.',
  },
  has_live_run: { meaning: 'The resource has a live run.', remedy: 'Stop the run or wait for its end, then retry.' },
  worker_offline: {
    meaning: 'The worker is not connected.',
    remedy: 'Start the worker on its machine. Runs that wait for the worker then start.',
  },
  precondition_failed: {
    meaning: 'The content has changed since you read it. The hash in If-Match does not match the current content.',
    remedy: 'Read the content again, then send your change with the new hash in If-Match.',
  },
  payload_too_large: {
    meaning: 'The body exceeds a limit, or storing it would exceed a quota.',
    remedy: 'error_message names the limit or quota. Split the data, or delete data that you do not need.',
  },
  unsupported_media_type: {
    meaning: 'The route expects another Content-Type.',
    remedy: 'Send Content-Type: application/json, or a form for an archive.',
  },
  main_missing: { meaning: 'The skript has no main.js.', remedy: 'Add a main.js.' },
  bundle_failed: {
    meaning: 'The build of the skript failed.',
    remedy: 'details lists each problem as { message, file, line, column, line_text }.',
  },
  environment_not_available: {
    meaning: 'No available worker supports the environment of the skript. The environment python is planned.',
    remedy: 'Choose another worker, or another environment.',
  },
  link_not_usable: {
    meaning: 'The link of the e-mail has been used, has expired, or is invalid.',
    remedy: 'Request a new link with Forgot password.',
  },
  pause_not_available: {
    meaning: 'The worker cannot freeze the processes of this run. Workers on Windows never can.',
    remedy: 'Stop the run, or let it continue. Workers on Linux can pause runs.',
  },
  storage_rejected: { meaning: 'MongoDB rejected the operation.', remedy: 'error_message has the reason.' },
  storage_duplicate_key: {
    meaning: 'A document with this _id, or with these values in a unique index, already exists.',
    remedy: 'error_message names the index. Update the existing document, or keep it.',
  },
  quota_exceeded: {
    meaning: 'You reached a quota. details has quota, limit and used.',
    remedy:
      'Delete or stop what you do not need, wait for the seconds in Retry-After, or ask an administrator for a higher quota.',
  },
  too_many_requests: {
    meaning: 'You exceeded a rate limit, or a limit of concurrent requests.',
    remedy: 'Retry after the seconds in Retry-After.',
  },
  internal_error: {
    meaning: 'The server failed unexpectedly. The log of the server has the error with the request_id.',
    remedy: 'Retry. If it fails again, send the request_id to the operator of the platform.',
  },
  delivery_failed: {
    meaning: 'Trawl could not send the file of an export to its destination, and deleted it.',
    remedy: 'error_message says why. Correct the destination or the server, then export again.',
  },
  storage_unavailable: { meaning: 'MongoDB does not answer.', remedy: 'Retry later.' },
  storage_outcome_unknown: {
    meaning: 'The connection to MongoDB broke during the operation. MongoDB may or may not have made the change.',
    remedy:
      'Check the data before you repeat the operation. You can always repeat an insert of documents if you set their _id yourself.',
  },
  service_unavailable: { meaning: 'The platform cannot serve the request now.', remedy: 'Retry in a few seconds.' },
};

export const ECHO_WORDS: Record<EchoType, string> = {
  log: 'Text. Trawl formats values like console.log.',
  warn: 'Text, marked as a warning.',
  error: 'Text, marked as an error. An Error object includes its stack. The run continues.',
  objekt: 'A value as JSON text. The panel shows it as a tree.',
  image: 'A PNG, JPEG, GIF or WebP image as a data: URL.',
  progress: 'Text such as “Pages: 3 of 10”. The panel shows it as a bar.',
  table: 'Rows as text, in aligned columns. The panel shows them as a table.',
  question: 'A question that the skript asks, with a line for each choice. The panel shows a form for the answer.',
  answer:
    'Text such as “#12 answered”, which says that a question is closed. The worker sends this echo. It does not contain the answer.',
};

export const ENVIRONMENT_WORDS: Record<Environment, { here: boolean; meaning: string }> = {
  nodejs: {
    here: true,
    meaning:
      'Node.js 24, or 22 if your package.json asks for it. On systems other than Linux, runs use the Node.js of the worker.',
  },
  browser: { here: true, meaning: 'Node.js with Chromium for Puppeteer, on workers that have a Chromium.' },
  python: { here: false, meaning: 'Python. Planned.' },
};

export const WORKER_STATUS_WORDS: Record<WorkerStatus, string> = {
  online: 'Connected, and accepts runs.',
  draining: 'Finishes its live runs, accepts no new runs, then restarts.',
  restarting: 'Restarts now.',
  offline: 'Not connected.',
};

export const SANDBOX_WORDS: Record<SandboxLevel, string> = {
  full: 'All five layers are active. The worker can run skripts of every account.',
  reduced: 'At least one layer is missing. Runs have a sandbox without this layer, or only a separate user id.',
  none: 'Each run gets only an empty environment and its own folder.',
};

/** Meaning and requirements of each sandbox layer. */
export const SANDBOX_LAYER_WORDS: Record<SandboxLayerName, { meaning: string; remedy: string }> = {
  own_user: {
    meaning:
      'Each live run has its own user id. A run cannot send signals to other runs or to the worker, and cannot read their data.',
    remedy: 'Start the worker as root, on Linux.',
  },
  namespaces: {
    meaning:
      'bubblewrap gives each run its own processes, files, IPC and host name. A run sees the installed programs of the machine, read-only.',
    remedy:
      'Use Linux with user namespaces (a container must be allowed to create them) and bubblewrap 0.8.0 or newer. The worker takes bwrap from the PATH or downloads it with apt; elsewhere install the package bubblewrap.',
  },
  syscalls: {
    meaning:
      'A system call filter (seccomp) allows only the calls that programs usually need. It blocks calls that kernel exploits use.',
    remedy: 'Comes with bubblewrap, on x64 and arm64.',
  },
  limits: {
    meaning:
      'Each run has limits on memory, processes, processor time, files and disk. The kernel’s control groups enforce these limits. Without control groups, the worker checks the limits itself.',
    remedy: 'Comes with bubblewrap. For control groups, start the worker as root or give its service Delegate=yes.',
  },
  egress: {
    meaning:
      'A run cannot reach loopback, private and other special addresses. Each run has a network with rules of the kernel that block them; where this is not possible, a proxy blocks them.',
    remedy:
      'Comes with bubblewrap. For a network for each run, start the worker as root, with the right to create networks.',
  },
};

export const STORAGE_ERROR_WORDS: Record<StorageErrorCode, string> = {
  storage_rejected: 'Trawl does not allow the operation or one of its operators, or MongoDB rejected it.',
  storage_duplicate_key: 'A unique index already contains the value.',
  storage_outcome_unknown:
    'The connection broke during an operation that is not idempotent. The operation may or may not have happened.',
  storage_unavailable: 'MongoDB has not answered for 30 s.',
  storage_transaction_lost:
    'PostgreSQL rolled the transaction back, because it was idle for 10 seconds, a statement in it failed, or a connection broke. Execute the transaction again.',
  storage_cursor_lost: 'The cursor of a long read is gone. Start the read again from your last position.',
  storage_too_large: 'The operation or its result exceeds the size limit.',
  storage_full: 'You reached your storage quota. Delete documents, or ask an administrator for more.',
  run_ended: 'The run has ended, so it can no longer store anything.',
};
