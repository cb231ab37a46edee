import type { NextFunction, Request, Response } from 'express';

/** Time within which a whole body must arrive, so that slow clients cannot keep connections. Node has the same default. */
const BODY_MS = 300_000;
const TIMED_OUT = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';

const timers = new WeakMap<Request, NodeJS.Timeout>();

/**
 * Cuts connections whose body takes too long. It replaces the time limit of Node’s server, from which a route cannot
 * exempt itself.
 */
export function limitBodyTime(request: Request, _response: Response, next: NextFunction): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined || Number(length) > 0) {
    const timer = setTimeout(() => {
      request.socket.write(TIMED_OUT);
      request.socket.destroySoon();
    }, BODY_MS);
    timers.set(request, timer.unref());
    const clear = () => clearTimeout(timer);
    request.once('end', clear).once('close', clear);
  }
  next();
}

/** Lets the body of a request take any time. The caller must limit it in another way. */
export const allowAnyBodyTime = (request: Request): void => clearTimeout(timers.get(request));
