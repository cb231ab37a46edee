import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { ApiError } from '../common/errors.js';

/**
 * Refuses query parameters on routes that take none, instead of silently ignoring them. On other routes, validation
 * refuses unknown parameters.
 */
@Injectable()
export class QueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    if (request.url.includes('?') && !takesQuery(context)) {
      const names = Object.keys(request.query);
      if (names.length > 0) throw unknownParameters(names);
    }
    return next.handle();
  }
}

/** Returns whether the route's handler has a `@Query()` parameter. */
function takesQuery(context: ExecutionContext): boolean {
  const parameters: object =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ?? {};
  return Object.keys(parameters).some(key => key.startsWith(`${RouteParamtypes.QUERY}:`));
}

function unknownParameters(names: string[]): ApiError {
  const details = names.map(field => ({ field, message: `${field} is not a parameter of this call` }));
  return new ApiError(
    'validation_failed',
    `${details.map(({ message }) => message).join('; ')}. It takes no query parameters.`,
    details,
  );
}
