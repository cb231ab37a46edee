import type { StorageErrorCode } from '@trawl/contracts';

/** Why an operation on a user's documents failed, in words for the user. */
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
const CURSOR_NOT_FOUND = 43;
/** The server is not the primary, and did not begin. */
const NOT_PRIMARY = new Set<unknown>([10_107, 13_435, 13_436]);
/** The server is stopping or stepping down, in the midst of what it did. */
const INTERRUPTED = new Set<unknown>([91, 189, 11_600, 11_602]);
/** Errors of the driver about the call itself, before it was sent. */
const ABOUT_THE_CALL = /^(MongoInvalidArgumentError|MongoAPIError|BSON\w*Error)$/;
const MAX_CAUSES = 5;

/** The error and what it was made of: a bulk write wraps what happened on its connection. */
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
  NOT_PRIMARY.has(code) ||
  INTERRUPTED.has(code) ||
  /^Mongo(ose)?(Network|NetworkTimeout|ServerSelection|TopologyClosed|NotConnected|ServerClosed|ClientClosed|PoolCleared)Error$/.test(
    name,
  ) ||
  /^(PoolCleared|MongoPoolCleared)/.test(name);

/** The server was never reached or did not begin, so that nothing can have happened. */
const nothingDone = ({ name = '', syscall, beforeHandshake, code }: DriverError): boolean =>
  syscall === 'connect' ||
  beforeHandshake === true ||
  NOT_PRIMARY.has(code) ||
  /(ServerSelection|TopologyClosed|NotConnected)Error$/.test(name);

/**
 * What a thrown error means for the user; null for one that nobody expected.
 * @param harmlessTwice whether the operation may be sent again when it is not known whether it was done.
 */
export function toStorageFailure(error: unknown, harmlessTwice: boolean): StorageFailure | null {
  if (error instanceof StorageFailure) return error;
  const causes = causesOf(error);
  const [thrown = {}] = causes;
  if (causes.some(({ name = '' }) => name.endsWith('WaitQueueTimeoutError'))) {
    return new StorageFailure('storage_unavailable', 'MongoDB has too many calls to answer right now.');
  }
  if (causes.some(isNetworkFailure)) {
    return harmlessTwice || causes.some(nothingDone)
      ? new StorageFailure('storage_unavailable', 'MongoDB cannot be reached right now.')
      : new StorageFailure(
          'storage_outcome_unknown',
          'The connection to MongoDB broke before it answered: the call may or may not have been done, and doing it twice could change the data twice.',
        );
  }
  if (thrown.code === DUPLICATE_KEY) return duplicateKey(thrown);
  if (thrown.code === CURSOR_NOT_FOUND) return cursorLost();
  if (thrown.code === TIME_LIMIT) {
    return harmlessTwice
      ? new StorageFailure(
          'storage_rejected',
          'MongoDB took too long; an index on the fields of the filter, or a narrower filter, helps.',
        )
      : new StorageFailure(
          'storage_outcome_unknown',
          'MongoDB took too long and stopped: a part of it may have been done.',
        );
  }
  // A number is the code of an answer: the server's own words about the call.
  if (typeof thrown.code === 'number' || ABOUT_THE_CALL.test(thrown.name ?? '')) {
    return new StorageFailure('storage_rejected', withoutInternals(thrown.message ?? 'MongoDB refused the call.'));
  }
  return null;
}

export const cursorLost = (): StorageFailure =>
  new StorageFailure(
    'storage_cursor_lost',
    'The cursor is not open any more: it was idle for long, or the platform was restarted. Start the query again.',
  );

function duplicateKey(error: DriverError): StorageFailure {
  const text = error.writeErrors?.[0]?.err?.errmsg ?? error.writeErrors?.[0]?.errmsg ?? error.message ?? '';
  const [, index = '', key = ''] = /index: (\S+) dup key: (\{.*\})/s.exec(text) ?? [];
  const where = index === '' ? 'this key' : `${key.slice(0, 500)} (index ${index})`;
  return new StorageFailure('storage_duplicate_key', `There is a document with ${where} already.`);
}

/** Database names are the platform's own, and paths the machine's. */
const withoutInternals = (message: string): string =>
  message
    .replace(/\bu_[0-9a-f]{32}\./g, '')
    .replace(/(^|[\s"'(:=])(\/[^\s"'():,/]+){2,}/g, '$1(a path)')
    .slice(0, 1_000);
