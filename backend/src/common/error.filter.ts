import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { ThrottlerException } from '@nestjs/throttler';
import { API_ERRORS, type ApiErrorBody, type ApiErrorCode } from '@trawl/contracts';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { isDatabaseAway } from './database-away.js';
import { ApiError } from './errors.js';
import { factsOf } from './request-log.js';

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

/** Turns whatever was thrown into `ApiErrorBody`. What nobody expected is logged in full and answered without its text. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const error = toApiError(exception, request);
    // An outage fails every call in the same way: who can do something needs the line, not thousands of stacks.
    if (error.status === 503) this.logger.warn({ req: factsOf(request), reason: reasonOf(exception) }, error.message);
    else if (error.status >= 500) this.logger.error({ req: factsOf(request), err: exception }, error.message);
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
  // The one way that a request can exhaust the stack: values within values, many thousands deep.
  if (exception instanceof RangeError && exception.message.startsWith('Maximum call stack')) {
    return new ApiError('bad_request', 'A value in the request is nested too deeply.');
  }
  if (exception instanceof HttpException && exception.getStatus() === 404) {
    return new ApiError('not_found', `There is no route ${request.method} ${request.path.slice(0, 200)}.`);
  }
  if (isDatabaseAway(exception)) {
    return new ApiError('service_unavailable', 'The database cannot be reached right now. Try again in a few seconds.');
  }
  if (exception instanceof ThrottlerException) {
    const seconds = Number(request.res?.getHeader('Retry-After') ?? 60);
    const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
    return new ApiError('too_many_requests', `Too many tries from this address. Wait ${wait}, then try again.`);
  }
  const code = known.status === undefined ? undefined : codeOfStatus[known.status];
  if (code !== undefined && (API_ERRORS[code] < 500 || exception instanceof HttpException)) {
    return new ApiError(code, known.message ?? code);
  }
  return new ApiError('internal_error', 'Something went wrong on our side. The request id helps to find out what.');
}
