import type { StorageErrorCode } from '@trawl/contracts';
import { DatabaseError } from 'pg';
import { ApiError } from '../../../platform/common/errors.js';
import { isDatabaseUnavailable } from '../../../platform/common/postgres-errors.js';
import { StorageFailure } from '../../storage/mongodb/storage-failures.js';
import { RunawayFailure } from '../server/runaways.service.js';

/** A statement that PostgreSQL refused. */
export class PostgresFailure extends StorageFailure {
  constructor(
    code: StorageErrorCode,
    message: string,
    /** PostgreSQL's error code (SQLSTATE), such as `42P01`. */
    readonly sqlState: string,
    /** Position in the statement, in characters from 1. */
    readonly position: number | undefined,
  ) {
    super(code, message);
  }
}

const UNIQUE_VIOLATION = '23505';
export const TOO_MANY_CONNECTIONS = '53300';
/** The server ends all sessions, because one of them ended abnormally. */
const CRASH = '57P02';
const MAX_CHARS = 1_000;

/** Returns whether the session is gone, or was never there. Then its transaction is rolled back. */
export const isLost = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || (error as { code?: unknown } | null)?.code === TOO_MANY_CONNECTIONS;

/** Translates a thrown error into a failure for the user; returns null for an unexpected error. */
export function toPostgresFailure(error: unknown): StorageFailure | null {
  if (error instanceof StorageFailure) return error;
  if ((error as { code?: unknown } | null)?.code === CRASH) {
    return new StorageFailure(
      'storage_unavailable',
      'PostgreSQL restarts, because one of its sessions crashed, or did not end when Trawl ended it.',
    );
  }
  if (isLost(error)) return new StorageFailure('storage_unavailable', 'PostgreSQL cannot be reached right now.');
  if (!(error instanceof DatabaseError) || error.code === undefined) return null;
  const { code, detail, hint } = error;
  const position = error.position === undefined ? undefined : Number(error.position);
  const where = position === undefined ? `SQLSTATE ${code}` : `SQLSTATE ${code}, position ${position}`;
  const advice = error.message.includes('multiple commands') ? 'Send one statement at a time.' : '';
  const text = [sentence(error.message), detail, hint, advice].filter(Boolean).join(' ').slice(0, MAX_CHARS);
  return new PostgresFailure(
    code === UNIQUE_VIOLATION ? 'storage_duplicate_key' : 'storage_rejected',
    `${text} (${where})`,
    code,
    position,
  );
}

const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);

/** Returns the error of the API for a failure. */
export function toApiError(failure: StorageFailure): ApiError {
  const { code, message } = failure;
  const details =
    failure instanceof PostgresFailure
      ? { sqlstate: failure.sqlState, ...(failure.position === undefined ? {} : { position: failure.position }) }
      : undefined;
  switch (code) {
    case 'storage_unavailable':
      return new ApiError(code, failure instanceof RunawayFailure ? message : `${message} Try again in a few seconds.`);
    case 'storage_duplicate_key':
    case 'storage_outcome_unknown':
      return new ApiError(code, message, details);
    case 'storage_too_large':
    case 'storage_full':
      return new ApiError('payload_too_large', message, details);
    default:
      return new ApiError('storage_rejected', message, details);
  }
}
