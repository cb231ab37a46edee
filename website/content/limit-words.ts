import type { LIMITS, LimitSetting, QuotaName, ShareName } from '@trawl/contracts';

export const QUOTA_WORDS: Record<QuotaName, string> = {
  skripts: 'Skripts',
  file_bytes: 'Files of all skripts',
  inputs: 'Inputs and input secrets of all skripts, and sessions',
  runs_at_once: 'Live runs',
  waiting_runs: 'Runs that wait for a worker or for their next attempt',
  runs_per_day: 'Starts per UTC day',
  echo_bytes_per_day: 'Saved echoes (compressed) and outputs of runs per UTC day',
  storage_bytes: 'Documents, tables and indexes in all databases',
  databases: 'MongoDB databases',
  api_keys: 'API keys that are not revoked',
  schedules: 'Schedules',
  webhooks: 'Webhooks',
  proxies: 'Proxies of all pools, and the pools',
};

const WAITS = 'Further calls or tasks wait.';
const TOO_MANY = 'Starting more of them fails with too_many_requests.';

/** Explains what one account can use of a backend at a time. `beyond` says what happens above the limit. */
export const SHARE_WORDS: Record<ShareName, { what: string; beyond: string }> = {
  callsAtOnce: {
    what: 'API calls in progress (TRAWL_CALLS_AT_ONCE)',
    beyond: 'Further calls wait up to 30 seconds. Then Trawl refuses them with too_many_requests.',
  },
  callsWhileCompeting: {
    what: 'API calls in progress, and MongoDB calls of runs, while several accounts use a busy backend',
    beyond:
      'Further calls wait. An account with more waiting calls than other accounts can have only one call in progress. Exports and imports pause between their parts.',
  },
  callsQueued: { what: 'API calls that wait', beyond: TOO_MANY },
  buildsAtOnce: { what: 'Builds of skripts', beyond: WAITS },
  buildsQueued: { what: 'Builds that wait', beyond: TOO_MANY },
  mongoCallsAtOnce: { what: 'API calls to MongoDB', beyond: WAITS },
  mongoCallsQueued: { what: 'API calls to MongoDB that wait', beyond: TOO_MANY },
  runStorageCallsAtOnce: { what: 'MongoDB calls of runs', beyond: WAITS },
  runStorageCallsQueued: { what: 'MongoDB calls of runs that wait', beyond: 'The call throws in the run.' },
  postgresCallsAtOnce: { what: 'PostgreSQL calls, transactions and cursors, including those of runs', beyond: WAITS },
  postgresCallsQueued: { what: 'PostgreSQL calls that wait', beyond: TOO_MANY },
  chunkReadsAtOnce: { what: 'Parts of saved echoes that you search or download', beyond: WAITS },
  schemaChecksAtOnce: {
    what: 'Schemas of contracts that you try out, and pushes of rows that Trawl checks with a schema',
    beyond: WAITS,
  },
  liveLogs: { what: 'Live logs over HTTP', beyond: TOO_MANY },
  liveConnections: { what: 'Connections for live echoes', beyond: 'Trawl refuses further connections.' },
  watchesPerSecond: { what: 'Requests per second to start or stop watching the live echoes of a run', beyond: WAITS },
  watchesQueued: {
    what: 'Requests to start or stop watching live echoes that wait',
    beyond: 'You get an error that names the limit, and Trawl closes the connection.',
  },
  connectionsSigningIn: {
    what: 'Connections from one IP address that have not signed in yet, including those of workers',
    beyond: 'Trawl refuses further connections.',
  },
  openJobs: { what: 'Exports and imports that have not ended', beyond: TOO_MANY },
  exporters: { what: 'Exporters', beyond: 'Creating more of them fails with quota_exceeded.' },
  idempotencyKeys: { what: 'Answers kept for an Idempotency-Key', beyond: 'For a new key you get quota_exceeded.' },
  failedLoginsFromOneAddress: { what: 'Failed sign-ins from one address in 15 minutes', beyond: TOO_MANY },
  failedLogins: {
    what: 'Failed sign-ins from all addresses in 15 minutes',
    beyond: 'Only IP addresses from which somebody has signed in to the account before may try.',
  },
};

/** Explains the settings that limit accounts, besides those of quotas. */
export const LIMIT_SETTING_WORDS: Record<LimitSetting, { what: string; beyond: string }> = {
  TRAWL_CALLS_AT_ONCE: { what: 'API calls of an account in progress', beyond: 'Further calls wait up to 30 seconds.' },
  TRAWL_HISTORY_DAYS: {
    what: 'Days to keep runs, saved echoes and fires of schedules; 0 keeps everything',
    beyond: 'Trawl deletes a calendar month when the whole month is older.',
  },
  TRAWL_AUDIT_DAYS: { what: 'Days to keep the audit log', beyond: 'Trawl deletes older entries.' },
  TRAWL_JOB_DAYS: {
    what: 'Days to keep exports and imports that have ended',
    beyond: 'Trawl deletes them and their files.',
  },
  TRAWL_EXPORT_MB: {
    what: 'Size of all export files of an account, in MB; 0 is unlimited',
    beyond: 'The export fails with quota_exceeded.',
  },
  TRAWL_IMPORT_MB: {
    what: 'Size of all uploaded files of an account, in MiB',
    beyond: 'The upload fails with payload_too_large.',
  },
  TRAWL_ACCOUNT_SLOTS_PERCENT: {
    what: 'Percentage of a worker’s slots that the runs of one account may take',
    beyond: 'Further runs wait with worker_full, even if the worker has free slots.',
  },
  TRAWL_MAX_PAUSE_MS: { what: 'How long a run may stay paused, in ms', beyond: 'The run ends with pause_limit.' },
};

/** Says what happens above each quota. */
export const QUOTA_CONSEQUENCES: Record<QuotaName, string> = {
  skripts: 'Creating more of them fails with quota_exceeded.',
  file_bytes: 'Saving fails with payload_too_large.',
  inputs: 'Creating more of them fails with quota_exceeded.',
  runs_at_once: 'Your starts get quota_exceeded; a schedule skips the fire.',
  waiting_runs: 'If a run would have to wait, its start gets quota_exceeded; a schedule skips the fire.',
  runs_per_day: 'Your starts get quota_exceeded until midnight UTC; a schedule skips the fire.',
  echo_bytes_per_day:
    'Runs continue, but Trawl saves no more of their echoes until midnight UTC. A line of the log names the quota.',
  storage_bytes:
    'Your API calls that write get payload_too_large, and writes of runs get storage_full. You can still delete data.',
  databases: 'Creating more of them fails with quota_exceeded.',
  api_keys: 'Creating more of them fails with quota_exceeded.',
  schedules: 'Creating more of them fails with quota_exceeded.',
  webhooks: 'Creating more of them fails with quota_exceeded.',
  proxies: 'Creating more of them fails with quota_exceeded.',
};

type Limits = typeof LIMITS;
/** Names of those limits whose value is a single number. */
type LimitName = { [Name in keyof Limits]: Limits[Name] extends number ? Name : never }[keyof Limits];

/** Explains the limits that authors of skripts need to know. `beyond` says what happens above the limit. */
export const LIMIT_WORDS: Partial<Record<LimitName, { what: string; beyond: string }>> = {
  fileBytes: {
    what: 'One file of a skript',
    beyond: 'Saving fails with payload_too_large or validation_failed.',
  },
  binaryFileBytes: {
    what: 'One binary file of a skript',
    beyond: 'The upload fails with payload_too_large.',
  },
  skriptBytes: { what: 'All files of one skript', beyond: 'Saving the file fails.' },
  inputBytes: { what: 'One input or input secret, as JSON', beyond: 'Saving it, or starting a run with it, fails.' },
  inputSchemaBytes: { what: 'The input_schema of a skript, as JSON', beyond: 'Saving it fails.' },
  archiveBytes: { what: 'A skript as an archive', beyond: 'The upload fails with payload_too_large.' },
  archiveUnpackedBytes: {
    what: 'The unpacked content of an archive',
    beyond: 'Upload and download fail.',
  },
  outputBytes: { what: 'The output of main.js, as JSON', beyond: 'The run ends with output_too_large.' },
  errorStackChars: { what: 'error_stack', beyond: 'The rest is cut and replaced with a marker.' },
  storageOperationBytes: {
    what: 'One storage operation or result',
    beyond: 'The call throws storage_too_large.',
  },
  echoMsgChars: { what: 'The text of one echo', beyond: 'The rest is cut and replaced with a marker.' },
  echoImageChars: { what: 'One image echo, as a data: URL', beyond: 'A warn echo replaces it.' },
  echoBytesPerRun: {
    what: 'Saved echoes of one run',
    beyond: 'Trawl does not save later echoes; a marker replaces them.',
  },
};
