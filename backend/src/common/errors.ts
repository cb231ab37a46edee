import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';

/** An error that a client is told of: its code decides the HTTP status, its message is for the person who reads it. */
export class ApiError extends Error {
  readonly status: number;

  constructor(
    readonly code: ApiErrorCode,
    message: string,
    readonly details?: unknown,
    /** Sent as `Retry-After`. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.status = API_ERRORS[code];
  }
}

/** Also the answer for what belongs to another user, so that ids of others cannot be probed. */
export const notFound = (what: string, id: string): ApiError =>
  new ApiError('not_found', `There is no ${what} with the id ${id.slice(0, 100)}.`);
