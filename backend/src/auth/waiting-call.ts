import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerOf } from './bearer.js';

/** A call that may wait for long: who made it may have left meanwhile, or its token may have ended. */
export interface WaitingCall {
  token: string;
  /** Aborted when the connection of the call is done with, answered or not. */
  closed: AbortSignal;
}

export function waitingCallOf(request: Request, response: Response): WaitingCall {
  const left = new AbortController();
  response.once('close', () => left.abort());
  return { token: bearerOf(request) ?? '', closed: left.signal };
}

export const Waiting = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  return waitingCallOf(http.getRequest<Request>(), http.getResponse<Response>());
});
