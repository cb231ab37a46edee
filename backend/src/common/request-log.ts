import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';

declare module 'http' {
  interface IncomingMessage {
    /** Given by `requestLog`; the answer has it as X-Request-Id. */
    id: string;
  }
}

/** What a line says of a request: headers, bodies and queries may carry secrets. */
export const factsOf = ({ id, method, originalUrl }: Request) => ({ id, method, path: originalUrl.split('?')[0] });

/**
 * A line for each request when it is over, made only if it is written: at `debug`, or `error` when we failed. (pino-http
 * makes a logger for each request before, which took a tenth of the time of a call that starts a run.)
 */
export const requestLog =
  (logger: Logger): RequestHandler =>
  (request, response, next) => {
    const beganAt = performance.now();
    request.id = randomUUID();
    response.setHeader('X-Request-Id', request.id);
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      // What is not available has its line from the filter of errors.
      const level = status >= 500 && status !== 503 ? 'error' : 'debug';
      if (!logger.isLevelEnabled(level) || request.originalUrl.startsWith('/health/')) return;
      const answered = response.headersSent ? { status } : null;
      const facts = { req: factsOf(request), res: answered, responseTime: Math.round(performance.now() - beganAt) };
      logger[level](facts, writableFinished ? 'request answered' : 'request aborted');
    });
    next();
  };
