/** Sizes and times that more than one room must agree on. Bytes are of UTF-8. */
export const LIMITS = {
  /** One frame of the worker protocol; larger things go over HTTP. */
  frameBytes: 1024 * 1024,
  /** The output of `main.js`, as JSON text. */
  outputBytes: 512 * 1024,
  /** `error_stack`, cut with a marker beyond it. */
  errorStackChars: 32_000,
  /** The text of one echo, cut with a marker beyond it. */
  echoMsgChars: 100_000,
  /** The `data:` address of one image echo; a larger one becomes a `warn` that says so. */
  echoImageChars: 600_000,
  /** Saved echoes of one run; what follows is cut, and a marker says so. */
  echoBytesPerRun: 64 * 1024 * 1024,
  /** A chunk of saved echoes before compression; it is sent at this size or after `echoChunkMs`. */
  echoChunkBytes: 1024 * 1024,
  echoChunkMs: 5_000,
  /** One file of a skript, and all files of one skript together. */
  fileBytes: 1024 * 1024,
  skriptBytes: 4 * 1024 * 1024,
  /** One input or input secret, as JSON text. */
  inputBytes: 256 * 1024,
  /** Objects and arrays that stand in each other in the body of a request: more than any field takes. */
  bodyLevels: 1_000,
  /** `worker_response_timeout` of a skript, in ms. */
  workerResponseTimeoutMs: { min: 1_000, max: 3_600_000, default: 180_000 },
  /** How often a run that failed is tried again, and how long after it ended, in ms. */
  retries: { min: 0, max: 10, default: 0 },
  retryDelayMs: { min: 0, max: 3_600_000, default: 5_000 },
  /** The `input_schema` of a skript, as JSON text. */
  inputSchemaBytes: 64 * 1024,
  /** A skript as one archive: the zip file, and all in it once unpacked. Large enough for the files of any skript. */
  archiveBytes: 16 * 1024 * 1024,
  archiveUnpackedBytes: 16 * 1024 * 1024,
  /** Versions of a skript that are kept, and all versions of an account together, files and code, as they are stored. */
  versionsPerSkript: 50,
  versionBytesPerAccount: 64 * 1024 * 1024,
  /** Workers that one call may start a skript on. */
  workersPerStart: 100,
  /** A password that somebody chooses, in characters. */
  passwordChars: { min: 10, max: 200 },
  /** One storage operation, as EJSON text, either way. */
  storageOperationBytes: 512 * 1024,
  /** A fire of a schedule that is later than this was missed. */
  fireLateMs: 60_000,
  /** Of one schedule: fires that wait in its queue, that are caught up after an outage, that are listed as missed. */
  fires: 100,
} as const;

/** What an `Idempotency-Key` may be: 1 to 200 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;
