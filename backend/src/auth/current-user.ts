import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { KeyScope, Role } from '@trawl/contracts';
import type { Request } from 'express';

/** Who calls: the user whose token or API key came with the request. */
export interface SessionUser {
  id: string;
  username: string;
  role: Role;
  built_in: boolean;
  /** Null when an API key came. */
  session_id: string | null;
  /** Null when the token of a session came. */
  key: { id: string; name: string; scope: KeyScope } | null;
}

export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Request & { user: SessionUser }>().user,
);
