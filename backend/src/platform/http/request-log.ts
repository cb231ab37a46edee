import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { withLogFields } from '../common/log-context.js';

declare module 'http' {
  interface IncomingMessage {
    /** Id of the request. `requestLog` sets it and sends it as X-Request-Id. */
    id: string;
  }
}

/** The loggable fields of a request. Headers, bodies and queries are left out, because they may contain secrets. */
export const requestFields = ({ id, method, originalUrl }: Request) => ({
  request_id: id,
  req: { method, path: originalUrl.split('?')[0] },
});

/**
 * Gives all log lines of a request its id, and logs the request when it ends: at `error` for our own failures, otherwise
 * at `debug`. (This is our own code, because
 * pino-http creates a logger for each request. That took a tenth of the time of a call that starts a run.)
 */
export const requestLog =
  (logger: Logger): RequestHandler =>
  (request, response, next) => {
    const beganAt = performance.now();
    request.id = randomUUID();
    response.setHeader('X-Request-Id', request.id);
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      // Status 503 is not logged at `error` here, because `ErrorFilter` already logs it.
      const level = status >= 500 && status !== 503 ? 'error' : 'debug';
      if (!logger.isLevelEnabled(level) || request.originalUrl.startsWith('/health/')) return;
      const answered = response.headersSent ? { status } : null;
      const facts = {
        ...requestFields(request),
        res: answered,
        responseTime: Math.round(performance.now() - beganAt),
      };
      logger[level](facts, writableFinished ? 'request answered' : 'request aborted');
    });
    withLogFields({ request_id: request.id }, next);
  };
