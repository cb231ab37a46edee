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
  keyValue?: Record<string, unknown>;
  writeErrors?: { err?: { errmsg?: string }; errmsg?: string }[];
}

const DUPLICATE_KEY = 11_000;
const TIME_LIMIT = 50;
const CURSOR_NOT_FOUND = 43;

const isNetworkFailure = ({ name = '', syscall }: DriverError): boolean =>
  syscall !== undefined ||
  /^Mongo(ose)?(Network|NetworkTimeout|ServerSelection|TopologyClosed|NotConnected|ServerClosed|ClientClosed|PoolCleared|WaitQueueTimeout)Error$/.test(
    name,
  ) ||
  /^(PoolCleared|MongoPoolCleared)/.test(name);

/** The server was never reached, so that nothing can have happened. */
const nothingSent = ({ name = '' }: DriverError): boolean =>
  /(ServerSelection|TopologyClosed|NotConnected)Error$/.test(name);

/**
 * What a thrown error means for the user; null for one that nobody expected.
 * @param harmlessTwice whether the operation may be sent again when it is not known whether it was done.
 */
export function toStorageFailure(error: unknown, harmlessTwice: boolean): StorageFailure | null {
  if (error instanceof StorageFailure) return error;
  const thrown = error as DriverError;
  if (isNetworkFailure(thrown)) {
    return harmlessTwice || nothingSent(thrown)
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
  if (/^(Mongo|BSON)/.test(thrown.name ?? '')) {
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

/** Database names are the platform's own. */
const withoutInternals = (message: string): string => message.replace(/\bu_[0-9a-f]{32}\./g, '').slice(0, 1_000);
