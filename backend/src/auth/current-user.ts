import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Role } from '@trawl/contracts';
import type { Request } from 'express';

/** Who calls: the user whose token came with the request. */
export interface SessionUser {
  id: string;
  username: string;
  role: Role;
  built_in: boolean;
  session_id: string;
}

export const CurrentUser = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Request & { user: SessionUser }>().user,
);
