import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';

/** Responses of each connection for which it is not their turn yet. */
const queuedOn = new WeakMap<Socket, Set<Response>>();

/**
 * Express middleware that closes responses whose connection closes before it is their turn. A client may send requests
 * without waiting for answers (HTTP pipelining), and Node never emits `close` on the responses that are queued then. So
 * what these calls hold would never become free.
 */
export function closeQueuedResponses({ socket }: Request, response: Response, next: NextFunction): void {
  if (response.socket === null) {
    const queued = queuedOn.get(socket) ?? queueOf(socket);
    queued.add(response);
    response.once('socket', () => queued.delete(response));
  }
  next();
}

function queueOf(socket: Socket): Set<Response> {
  const queued = new Set<Response>();
  queuedOn.set(socket, queued);
  socket.once('close', () => {
    for (const response of queued) response.destroy().emit('close');
  });
  return queued;
}
