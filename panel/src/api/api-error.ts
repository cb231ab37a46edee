import type { ApiErrorCode } from '@trawl/contracts';
import { inReadingOrder } from '../components/values/in-reading-order.js';

/** A failed call; `status` is 0 if the server was unreachable. The panel can show `message` as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    readonly status: number,
    readonly code: ApiErrorCode | 'unreachable' | null,
    readonly details: unknown,
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export function toApiError(body: unknown, status: number): ApiError {
  const fields = isRecord(body) ? body : {};
  const message =
    typeof fields.error_message === 'string' && fields.error_message !== ''
      ? fields.error_message
      : status >= 500
        ? `Trawl cannot answer at the moment (status ${status}). Wait a minute, then try again. If that does not help, tell your administrator.`
        : `The server answered with status ${status} and no message.`;
  const code = typeof fields.error_code === 'string' ? (fields.error_code as ApiErrorCode) : null;
  const requestId = typeof fields.request_id === 'string' ? fields.request_id : null;
  return new ApiError(message, status, code, fields.details, requestId);
}

export const unreachable = (): ApiError =>
  new ApiError('Trawl is unreachable. Check your connection, and that Trawl is running.', 0, 'unreachable', null, null);

/** The server did not answer, or a proxy answered in its place. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || (error.code === null && [502, 503, 504].includes(error.status)));

/** Returns true if a retry may help, because the server was unreachable or unavailable. */
export const isTransient = (error: unknown): boolean =>
  isUnreachable(error) || (error instanceof ApiError && error.status === 503);

/** Returns the message for each field of a `validation_failed` error. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError) || !Array.isArray(error.details)) return {};
  const byField: Record<string, string> = {};
  for (const detail of error.details) {
    if (isRecord(detail) && typeof detail.field === 'string' && typeof detail.message === 'string')
      byField[detail.field] = detail.message;
  }
  return byField;
}

/** Returns the message to show. It may quote a name of the user's, such as one of a table. */
export const messageOf = (error: unknown): string =>
  inReadingOrder(error instanceof Error ? error.message : String(error));
