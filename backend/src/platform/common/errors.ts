import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';

/** An error that is sent to the client. The code determines the HTTP status; the message is a text for people. */
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

/** Also use this error for resources of other users. Then nobody can find out which ids of other users exist. */
export const notFound = (what: string, id: string): ApiError =>
  new ApiError('not_found', `There is no ${what} with the id ${id.slice(0, 100)}.`);
