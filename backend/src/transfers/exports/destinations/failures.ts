import { ApiError } from '../../../platform/common/errors.js';
import { describeFailure, type OutgoingHttp } from '../../../platform/outgoing/outgoing-http.service.js';
import type { DestinationDto } from './destination.dto.js';

/** @throws {ApiError} 400 for a missing field. */
export function neededFields<Name extends 'url' | 'bucket' | 'region' | 'access_key_id' | 'secret_access_key'>(
  destination: DestinationDto,
  names: Name[],
): Record<Name, string> {
  for (const name of names) {
    if (destination[name]) continue;
    const field = `destination.${name}`;
    const message = `is missing: a destination of the type ${destination.type} needs it`;
    throw new ApiError('validation_failed', `${field} ${message}.`, [{ field, message }]);
  }
  return destination as unknown as Record<Name, string>;
}

export const deliveryFailed = (what: string, error: unknown): ApiError =>
  new ApiError(
    'delivery_failed',
    `Trawl could not deliver the file, and deleted it: ${what} failed: ${describeFailure(error)}`,
  );

/** @throws {ApiError} 400 for a URL that Trawl does not send to. */
export function checkUrl(outgoing: OutgoingHttp, { url }: DestinationDto): void {
  const message = url === undefined ? null : outgoing.urlProblem(url);
  if (message === null) return;
  throw new ApiError('validation_failed', `destination.url ${message}.`, [{ field: 'destination.url', message }]);
}
