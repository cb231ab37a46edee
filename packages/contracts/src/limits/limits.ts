/** Limits that several packages use. If a limit for text is in bytes, it applies to the text in UTF-8. */
export const LIMITS = {
  /** Size of one frame of the worker protocol. Larger data is sent over HTTP. */
  frameBytes: 1024 * 1024,
  /** Size of the output of `main.js`, as JSON text. */
  outputBytes: 512 * 1024,
  /** Length of `error_stack`. A longer text is cut, and ends with a note about that. */
  errorStackChars: 32_000,
  /** Length of the text of one echo. A longer text is cut, and ends with a note about that. */
  echoMsgChars: 100_000,
  /** Hosts whose requests are counted by name in each run, and the length of a name. */
  requestedHosts: 50,
  hostChars: 262,
  /** Length of the `data:` URL of an image echo. A longer image echo is replaced by a `warn` echo. */
  echoImageChars: 600_000,
  /** Length of the answer to a question of a run. */
  answerChars: 10_000,
  /** Number of answers to one run that wait for its worker. */
  waitingAnswers: 100,
  /** Maximum size of the saved echoes of one run. The last saved echo then names this limit. */
  echoBytesPerRun: 64 * 1024 * 1024,
  /**
   * Size of a chunk of saved echoes, before compression. The worker sends a chunk when it has this size, or after
   * `echoChunkMs`.
   */
  echoChunkBytes: 1024 * 1024,
  echoChunkMs: 5_000,
  /** Size, after compression, of a chunk of saved echoes that the worker sends together with the end of the run. */
  finishChunkBytes: 17 * 1024,
  /** Size of the record of a run, as it is stored, and how long it is kept. */
  recordBytes: 64 * 1024 * 1024,
  recordDays: 30,
  /** Size of the rows, as BSON, that Trawl keeps of what a recorded run or a replay inserts with `mongo` and `postgres`. */
  insertedBytes: 8 * 1024 * 1024,
  /** Size of one file of a skript (`fileBytes`), and of all files of one skript together (`skriptBytes`). */
  fileBytes: 1024 * 1024,
  skriptBytes: 4 * 1024 * 1024,
  /** Number of files of one skript, of its inputs, and of its input secrets. */
  partsPerSkript: 500,
  /** Size of a file that is not text. Its base64 text is a third larger, and within `fileBytes`. */
  binaryFileBytes: 768_000,
  /** Size of one input or input secret, as JSON text. */
  inputBytes: 256 * 1024,
  /** How deep objects and arrays of a request body may be nested. No field needs more levels than this. */
  bodyDepth: 1_000,
  /** `worker_response_timeout` of a skript, in ms: how long the caller of a start waits unless it sends `wait_ms`. */
  workerResponseTimeoutMs: { min: 1_000, max: 3_600_000, default: 180_000 },
  /** `time_limit_ms` of a skript, and `timeout_ms` of a start: how long a run may take. */
  timeLimitMs: { min: 1_000, max: 86_400_000, default: 3_600_000 },
  /** Number of retries of a failed run, and the delay before each retry in ms. */
  retries: { min: 0, max: 10, default: 0 },
  retryDelayMs: { min: 0, max: 3_600_000, default: 5_000 },
  /** Size of the `input_schema` of a skript, as JSON text. */
  inputSchemaBytes: 64 * 1024,
  /** Size of a skript's zip archive, packed and unpacked. It is large enough for the files of any skript. */
  archiveBytes: 16 * 1024 * 1024,
  archiveUnpackedBytes: 16 * 1024 * 1024,
  /**
   * Number of saved versions of a skript, and the total size of the files and code of all saved versions of an account.
   */
  versionsPerSkript: 50,
  versionBytesPerAccount: 64 * 1024 * 1024,
  /** Number of workers on which one request can start a skript. */
  workersPerStart: 100,
  /** The length of a password that a user chooses. */
  passwordChars: { min: 10, max: 200 },
  /** Size of the arguments of one storage operation, and of its result, as BSON. */
  storageOperationBytes: 512 * 1024,
  /** If a fire of a schedule is late by more than this time, in ms, it counts as missed. */
  fireLateMs: 60_000,
  /** Size of the value of a session, as JSON text. */
  sessionBytes: 384 * 1024,
  /** How long a run may take to log in before another run may try, in ms. */
  sessionLeaseMs: 300_000,
  /** After this time without use, a session is deleted. */
  sessionUnusedDays: 90,
  /**
   * Three limits for each schedule: the number of fires in its queue, the number of missed fires that it catches up
   * after an outage, and the number of fires that are listed as missed.
   */
  fires: 100,
} as const;

/** A valid `Idempotency-Key`: 1 to 200 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = /^[\x21-\x7e]{1,200}$/;
