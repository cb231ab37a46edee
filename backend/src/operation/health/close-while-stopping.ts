import type { RequestHandler } from 'express';
import type { Readiness } from './readiness.service.js';

/**
 * Closes each connection after its answer while this backend stops. Otherwise a client that keeps its connection open
 * would send its next call just when the backend closes.
 */
export function closeWhileStopping(readiness: Readiness): RequestHandler {
  return (_request, response, next) => {
    if (readiness.isStopping) response.setHeader('Connection', 'close');
    next();
  };
}
