/** Only this file contains error codes of PostgreSQL (SQLSTATE) and error messages of its drivers. */
import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';
const DATA_EXCEPTION_CLASS = '22';
const CONNECTION_EXCEPTION_CLASS = '08';
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // admin_shutdown, crash_shutdown, cannot_connect_now
  '57P01',
  '57P02',
  '57P03',
  // disk_full
  '53100',
]);
/** Messages of pg for connections that were lost, could not be opened or were closed; these errors have no code. */
const UNREACHABLE_MESSAGES =
  /^(Connection terminated|timeout (expired|exceeded when trying to connect)|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/;
/** TypeORM's errors for a connection that was lost during a transaction. */
const UNREACHABLE_NAMES = new Set(['QueryRunnerAlreadyReleasedError', 'QueryRunnerProviderAlreadyReleasedError']);

const sqlStateOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code);

/** Returns whether PostgreSQL was unreachable or its disk was full, as opposed to refusing a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const { name, message, severity } = (error ?? {}) as Partial<Error> & { severity?: string };
  const code = sqlStateOf(error);
  if (UNAVAILABLE_CODES.has(code)) return true;
  // A statement with a wrong number of parameters has a code of this class too, but the connection stays.
  if (code.startsWith(CONNECTION_EXCEPTION_CLASS) && code.length === 5) return severity !== 'ERROR';
  return UNREACHABLE_NAMES.has(String(name)) || UNREACHABLE_MESSAGES.test(String(message));
}

/**
 * Returns whether the same statement may succeed later. True if PostgreSQL is unavailable, and for these classes: rollbacks
 * such as deadlocks (40), no room or too many connections (53), locks that were not available (55), an operator or a cancelled
 * statement (57), errors of the system (58), and 25006, which a server answers that has become a standby.
 */
export const isTemporaryFailure = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || /^((40|53|55|57|58)...|25006)$/.test(sqlStateOf(error));

/**
 * Returns whether PostgreSQL refused a row because of a duplicate key. With `constraint`, only that unique constraint
 * counts.
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { constraint: violated } = error.driverError as { constraint?: string };
  return sqlStateOf(error.driverError) === UNIQUE_VIOLATION && (constraint === undefined || violated === constraint);
}

/** Returns whether a value did not fit its type, such as `'x'` for a timestamp. */
export const isDataException = (error: unknown): boolean =>
  sqlStateOf(error).length === 5 && sqlStateOf(error).startsWith(DATA_EXCEPTION_CLASS);

/**
 * Returns whether PostgreSQL has certainly committed nothing of a statement. True for these classes: invalid values (22),
 * violated constraints (23), rollbacks such as deadlocks (40), too complex statements (54); and for locks that were not
 * available (55P03) and cancelled statements (57014).
 */
export const isRefusedStatement = (error: unknown): boolean =>
  /^((22|23|40|54)...|55P03|57014)$/.test(sqlStateOf(error));
