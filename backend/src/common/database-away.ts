const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // PostgreSQL is shutting down, was ended by a crash of one of its processes, is starting.
  '57P01',
  '57P02',
  '57P03',
]);
/** PostgreSQL's class of connection exceptions. */
const CONNECTION_CLASS = /^08[0-9A-Z]{3}$/;
/** What pg says, without a code, of a connection that it lost, could not make or may not make any more. */
const WORDS =
  /^(Connection terminated|timeout (expired|exceeded when trying to connect)|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/;
/** TypeORM's words for a connection that was lost in the middle of a transaction. */
const NAMES = new Set(['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError']);

/** Whether an error says that PostgreSQL cannot be reached, and nothing of what was asked of it. */
export function isDatabaseAway(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as Partial<Error> & { code?: unknown };
  if (typeof code === 'string' && (CODES.has(code) || CONNECTION_CLASS.test(code))) return true;
  return NAMES.has(String(name)) || WORDS.test(String(message));
}
