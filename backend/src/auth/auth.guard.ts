import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Role } from '@trawl/contracts';
import { ApiError } from '../common/errors.js';
import type { SessionUser } from './current-user.js';

const PUBLIC = 'trawl:public';
const ROLES = 'trawl:roles';

/** The route needs no token. */
export const Public = () => SetMetadata(PUBLIC, true);
export const isPublic = (context: ExecutionContext, reflector: Reflector): boolean =>
  reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]) ?? false;
/** The route is for these roles only. */
export const Roles = (...roles: Role[]) => SetMetadata(ROLES, roles);

/** Every route needs a bearer token unless it says `@Public()`. */
@Injectable()
export class BearerGuard extends AuthGuard('jwt') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http' || isPublic(context, this.reflector)) return true;
    await super.canActivate(context);
    const targets = [context.getHandler(), context.getClass()];
    const roles = this.reflector.getAllAndOverride<Role[] | undefined>(ROLES, targets);
    const { user } = context.switchToHttp().getRequest<{ user: SessionUser }>();
    if (roles && !roles.includes(user.role)) {
      throw new ApiError(
        'forbidden',
        `This route is for the role ${roles.join(' or ')}; you are signed in as ${user.role}.`,
      );
    }
    return true;
  }

  override handleRequest<T>(error: unknown, user: T | false): T {
    if (error) throw error;
    if (!user) {
      throw new ApiError(
        'unauthorized',
        'A valid token is needed: send `Authorization: Bearer <token>` with the jwtToken of POST /panel/login.',
      );
    }
    return user;
  }
}
