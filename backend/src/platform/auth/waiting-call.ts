import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerOf } from './bearer.js';
import { freeCallSlot } from './call-slots.interceptor.js';

/** A call that may wait for minutes: meanwhile its client may disconnect or its token may expire. */
export interface WaitingCall {
  token: string;
  /** Aborts when the connection closes, before or after the response was sent. */
  closed: AbortSignal;
  /** Frees the call's slot of the account. Call it before the wait. */
  freeSlot: () => void;
}

export function waitingCallOf(request: Request, response: Response): WaitingCall {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  return { token: bearerOf(request) ?? '', closed: closed.signal, freeSlot: () => freeCallSlot(request) };
}

export const Waiting = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return waitingCallOf(http.getRequest<Request>(), http.getResponse<Response>());
});
