import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { ThrottlerException } from '@nestjs/throttler';
import { API_ERRORS, type ApiErrorBody, type ApiErrorCode } from '@trawl/contracts';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { ApiError } from '../common/errors.js';
import { LOGGER } from '../common/logger.js';
import { isDatabaseUnavailable } from '../common/postgres-errors.js';
import { requestFields } from './request-log.js';

const codeOfStatus: Record<number, ApiErrorCode> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'too_many_requests',
  503: 'service_unavailable',
};

/**
 * Responds to every exception with an `ApiErrorBody`. Unexpected exceptions are logged in full; their text is not sent
 * to the client.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const error = toApiError(exception, request);
    // No stack for 503: during an outage every call fails in the same way.
    if (error.status === 503)
      this.logger.warn({ ...requestFields(request), reason: reasonOf(exception) }, error.message);
    else if (error.status >= 500) this.logger.error({ ...requestFields(request), err: exception }, error.message);
    const body: ApiErrorBody = {
      error_message: error.message,
      error_code: error.code,
      ...(error.details === undefined ? {} : { details: error.details }),
      request_id: request.id,
    };
    if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', error.retryAfterSeconds);
    response.status(error.status).json(body);
  }
}

const reasonOf = (exception: unknown): string => (exception instanceof Error ? exception.message : String(exception));

function toApiError(exception: unknown, request: Request): ApiError {
  if (exception instanceof ApiError) return exception;
  const known = exception as { status?: number; message?: string };
  // A request can exhaust the stack in one way only: with values nested many thousands of levels deep.
  if (exception instanceof RangeError && exception.message.startsWith('Maximum call stack')) {
    return new ApiError('bad_request', 'A value in the request is nested too deeply.');
  }
  if (exception instanceof HttpException && exception.getStatus() === 404) {
    return new ApiError('not_found', `There is no route ${request.method} ${request.path.slice(0, 200)}.`);
  }
  if (isDatabaseUnavailable(exception)) {
    return new ApiError('service_unavailable', 'The database is unavailable. Try again in a few seconds.');
  }
  if (exception instanceof ThrottlerException) {
    const seconds = Number(request.res?.getHeader('Retry-After') ?? 60);
    const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
    return new ApiError('too_many_requests', `Too many calls from your address. Wait ${wait}, then try again.`);
  }
  const code = known.status === undefined ? undefined : codeOfStatus[known.status];
  if (code !== undefined && (API_ERRORS[code] < 500 || exception instanceof HttpException)) {
    return new ApiError(code, known.message ?? code);
  }
  return new ApiError(
    'internal_error',
    'Something went wrong on our side. Try again. If it fails again, give the request id to your administrator, who can find the cause in the log.',
  );
}
