import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { KeyScope, Role } from '@trawl/contracts';
import type { Request } from 'express';

/** The user that the request's session token or API key belongs to. */
export interface SessionUser {
  id: string;
  username: string;
  role: Role;
  built_in: boolean;
  /** Null for a request with an API key. */
  session_id: string | null;
  /** Null for a request with a session token. */
  key: { id: string; name: string; scope: KeyScope } | null;
}

export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Request & { user: SessionUser }>().user,
);
