import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerOf } from './bearer.js';

/** A call that may wait for minutes: meanwhile its client may disconnect or its token may expire. */
export interface WaitingCall {
  token: string;
  /** Aborts when the connection closes, before or after the response was sent. */
  closed: AbortSignal;
}

export function waitingCallOf(request: Request, response: Response): WaitingCall {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  return { token: bearerOf(request) ?? '', closed: closed.signal };
}

export const Waiting = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return waitingCallOf(http.getRequest<Request>(), http.getResponse<Response>());
});
