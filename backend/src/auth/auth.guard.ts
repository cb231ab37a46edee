import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { KEY_SCOPES, type KeyScope, type Role } from '@trawl/contracts';
import type { Request } from 'express';
import { ApiError } from '../common/errors.js';
import { isApiKey } from './api-keys.service.js';
import { bearerOf } from './bearer.js';
import { CallersService } from './callers.service.js';
import type { SessionUser } from './current-user.js';

export const PUBLIC = 'trawl:public';
export const ROLES = 'trawl:roles';
export const NEEDS = 'trawl:needs';

/** The route needs no token. */
export const Public = () => SetMetadata(PUBLIC, true);
export const isPublic = (context: ExecutionContext, reflector: Reflector): boolean =>
  reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]) ?? false;
/** The route is for these roles only. */
export const Roles = (...roles: Role[]) => SetMetadata(ROLES, roles);
/** What an API key needs for the route. Without it: `read` for GET, `all` for everything else. */
export const NeedsScope = (scope: KeyScope) => SetMetadata(NEEDS, scope);
/** No API key may call the route: whoever got hold of one could otherwise stay when it is revoked. */
export const NeedsSession = () => SetMetadata(NEEDS, 'session');

/** Every route needs a bearer token, of a session or an API key, unless it says `@Public()`. */
@Injectable()
export class BearerGuard extends AuthGuard('jwt') {
  constructor(
    private readonly reflector: Reflector,
    private readonly callers: CallersService,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http' || isPublic(context, this.reflector)) return true;
    const user = await this.#callerOf(context);
    const targets = [context.getHandler(), context.getClass()];
    const roles = this.reflector.getAllAndOverride<Role[] | undefined>(ROLES, targets);
    if (roles && !roles.includes(user.role)) {
      throw new ApiError('forbidden', `This route is for the role ${roles.join(' or ')}; you are ${user.role}.`);
    }
    if (user.key) {
      const needed = this.reflector.getAllAndOverride<KeyScope | 'session' | undefined>(NEEDS, targets);
      checkScope(user.key, needed ?? byMethod(context.switchToHttp().getRequest<Request>().method));
    }
    return true;
  }

  override handleRequest<T>(error: unknown, user: T | false): T {
    if (error) throw error;
    if (!user) throw unauthorized();
    return user;
  }

  async #callerOf(context: ExecutionContext): Promise<SessionUser> {
    const request = context.switchToHttp().getRequest<Request & { user: SessionUser }>();
    const token = bearerOf(request);
    if (token === null) throw unauthorized();
    const user = this.callers.known(token) ?? (isApiKey(token) ? await this.callers.ofKey(token) : null);
    if (user) request.user = user;
    else if (isApiKey(token)) throw unauthorized();
    else await super.canActivate(context);
    return request.user;
  }
}

const unauthorized = (): ApiError =>
  new ApiError(
    'unauthorized',
    'A valid token is needed: send `Authorization: Bearer <token>` with an API key or the jwtToken of POST /panel/login.',
  );

export const byMethod = (method: string): KeyScope => (method === 'GET' || method === 'HEAD' ? 'read' : 'all');

/** @throws {ApiError} 403. */
function checkScope(key: NonNullable<SessionUser['key']>, needed: KeyScope | 'session'): void {
  if (needed === 'session') {
    throw new ApiError('forbidden', 'This route takes the jwtToken of POST /panel/login only, and no API key.');
  }
  if (KEY_SCOPES.indexOf(key.scope) >= KEY_SCOPES.indexOf(needed)) return;
  throw new ApiError(
    'forbidden',
    `This route needs an API key of the scope ${needed}; the key “${key.name}” has the scope ${key.scope}.`,
  );
}
