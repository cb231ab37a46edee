import type { StorageErrorCode } from '@trawl/contracts';

/** A failed operation on a user's documents, with a message for the user. */
export class StorageFailure extends Error {
  constructor(
    readonly code: StorageErrorCode,
    message: string,
  ) {
    super(message);
  }
}

interface DriverError {
  name?: string;
  message?: string;
  code?: number | string;
  syscall?: string;
  beforeHandshake?: boolean;
  keyValue?: Record<string, unknown>;
  writeErrors?: { err?: { errmsg?: string }; errmsg?: string }[];
  cause?: unknown;
  errorResponse?: unknown;
}

const DUPLICATE_KEY = 11_000;
const TIME_LIMIT = 50;
/** Node's code for a write to a socket that the server has ended. The driver passes this error on as it is. */
const ENDED_BY_SERVER = 'EPIPE';
const CURSOR_NOT_FOUND = 43;
/** MongoDB's error codes for: the server is not the primary and did not start the operation. */
const NOT_PRIMARY = new Set<unknown>([10_107, 13_435, 13_436]);
/** MongoDB's error codes for: the server shut down or stepped down during the operation. */
const INTERRUPTED = new Set<unknown>([91, 189, 11_600, 11_602]);
/** Names of errors for a call that the driver refused before sending it, because of its arguments. */
const ABOUT_THE_CALL = /^(MongoInvalidArgumentError|MongoAPIError|BSON\w*Error)$/;
const MAX_CAUSES = 5;
const UNREACHABLE = 'MongoDB cannot be reached right now.';
const CLOSED =
  'MongoDB closed the connection before it answered. If that repeats, the call needs more memory than MongoDB may use: narrow its filter, or build fewer texts and lists.';

/** Lists the error and its causes. For example, the error of a bulk write contains the error of its connection. */
function causesOf(error: unknown): DriverError[] {
  const causes: DriverError[] = [];
  for (let next = error; typeof next === 'object' && next !== null && causes.length < MAX_CAUSES; ) {
    const one: DriverError = next;
    causes.push(one);
    next = one.cause ?? one.errorResponse;
  }
  return causes;
}

const isNetworkFailure = ({ name = '', syscall, code }: DriverError): boolean =>
  syscall !== undefined ||
  code === ENDED_BY_SERVER ||
  NOT_PRIMARY.has(code) ||
  INTERRUPTED.has(code) ||
  /^Mongo(ose)?(Network|NetworkTimeout|ServerSelection|TopologyClosed|NotConnected|ServerClosed|ClientClosed|PoolCleared)Error$/.test(
    name,
  ) ||
  /^(PoolCleared|MongoPoolCleared)/.test(name);

/**
 * True if the server closed the connection while it worked on the operation. The embedded MongoDB does so with an
 * operation for which it has too little memory.
 */
const closedByServer = ({ name = '', message = '' }: DriverError): boolean =>
  name === 'MongoNetworkError' && /^connection \d+ to .* closed$/.test(message);

/** True if the operation never started, so it changed nothing. */
const neverStarted = ({ name = '', syscall, beforeHandshake, code }: DriverError): boolean =>
  syscall === 'connect' ||
  beforeHandshake === true ||
  NOT_PRIMARY.has(code) ||
  /(ServerSelection|TopologyClosed|NotConnected)Error$/.test(name);

/**
 * Translates a thrown error into a failure for the user; returns null for an unexpected error.
 * @param isRetrySafe whether the operation may be sent again when its outcome is unknown.
 */
export function toStorageFailure(error: unknown, isRetrySafe: boolean): StorageFailure | null {
  if (error instanceof StorageFailure) return error;
  const causes = causesOf(error);
  const [thrown = {}] = causes;
  if (causes.some(({ name = '' }) => name.endsWith('WaitQueueTimeoutError'))) {
    return new StorageFailure('storage_unavailable', 'MongoDB is overloaded: no connection became free.');
  }
  if (causes.some(isNetworkFailure)) {
    return isRetrySafe || causes.some(neverStarted)
      ? new StorageFailure('storage_unavailable', causes.some(closedByServer) ? CLOSED : UNREACHABLE)
      : new StorageFailure(
          'storage_outcome_unknown',
          'The connection to MongoDB broke before it answered, so the call may have changed some documents. Check the data before you send it again: a repeat could change it twice.',
        );
  }
  if (thrown.code === DUPLICATE_KEY) return duplicateKey(thrown);
  if (thrown.code === CURSOR_NOT_FOUND) return cursorLost();
  if (thrown.code === TIME_LIMIT) {
    return isRetrySafe
      ? new StorageFailure(
          'storage_rejected',
          'MongoDB reached the time limit. To read or delete documents, narrow the filter, or add an index on its fields. To store documents, send fewer at a time, or send them again when MongoDB has less to do.',
        )
      : new StorageFailure(
          'storage_outcome_unknown',
          'MongoDB reached the time limit and stopped; the call may have changed some documents. Check the data before you send it again.',
        );
  }
  // Errors of the server have a numeric code. Their message describes the fault in the call, so the user may see it.
  if (typeof thrown.code === 'number' || ABOUT_THE_CALL.test(thrown.name ?? '')) {
    return new StorageFailure('storage_rejected', withoutInternals(thrown.message ?? 'MongoDB refused the call.'));
  }
  return null;
}

export const cursorLost = (): StorageFailure =>
  new StorageFailure(
    'storage_cursor_lost',
    'The cursor is closed: it was idle for too long, or Trawl restarted. Run the query again.',
  );

function duplicateKey(error: DriverError): StorageFailure {
  const text = error.writeErrors?.[0]?.err?.errmsg ?? error.writeErrors?.[0]?.errmsg ?? error.message ?? '';
  const [, index = '', key = ''] = /index: (\S+) dup key: (\{.*\})/s.exec(text) ?? [];
  const where = index === '' ? 'this key' : `${key.slice(0, 500)} (index ${index})`;
  return new StorageFailure('storage_duplicate_key', `A document with ${where} already exists.`);
}

/** Removes internal database names and file paths. */
const withoutInternals = (message: string): string =>
  message
    .replace(/\bu_[0-9a-f]{32}\./g, '')
    .replace(/(^|[\s"'(:=])(\/[^\s"'():,/]+){2,}/g, '$1(a path)')
    .slice(0, 1_000);
