import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { KEY_SCOPES, type KeyScope, type Role } from '@trawl/contracts';
import type { Request } from 'express';
import { ApiError } from '../common/errors.js';
import { isApiKey } from './api-key-format.js';
import { bearerOf } from './bearer.js';
import type { SessionUser } from './current-user.js';
import { TokenResolver } from './tokens/token-resolver.service.js';

export const PUBLIC = 'trawl:public';
export const ROLES = 'trawl:roles';
export const NEEDS = 'trawl:needs';

/** Marks a route that can be called without a token. */
export const Public = () => SetMetadata(PUBLIC, true);
export const isPublic = (context: ExecutionContext, reflector: Reflector): boolean =>
  reflector.getAllAndOverride<boolean | undefined>(PUBLIC, [context.getHandler(), context.getClass()]) ?? false;
/** Only users with one of these roles may call the route. */
export const Roles = (...roles: Role[]) => SetMetadata(ROLES, roles);
/** The scope that an API key needs for the route. Default: `read` for GET, `all` for other methods. */
export const NeedsScope = (scope: KeyScope) => SetMetadata(NEEDS, scope);
/**
 * Marks a route that refuses API keys. Otherwise somebody with a stolen key could create new credentials, which would
 * still work after the stolen key is revoked.
 */
export const NeedsSession = () => SetMetadata(NEEDS, 'session');

/** Requires a session token or an API key on every route that is not `@Public()`. */
@Injectable()
export class BearerGuard extends AuthGuard('jwt') {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenResolver,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http' || isPublic(context, this.reflector)) return true;
    const user = await this.#authenticate(context);
    const targets = [context.getHandler(), context.getClass()];
    const roles = this.reflector.getAllAndOverride<Role[] | undefined>(ROLES, targets);
    if (roles && !roles.includes(user.role)) {
      throw new ApiError('forbidden', `This route requires the role ${roles.join(' or ')}; your role is ${user.role}.`);
    }
    if (user.key) {
      const needed = this.reflector.getAllAndOverride<KeyScope | 'session' | undefined>(NEEDS, targets);
      checkScope(user.key, needed ?? scopeForMethod(context.switchToHttp().getRequest<Request>().method));
    }
    return true;
  }

  override handleRequest<T>(error: unknown, user: T | false): T {
    if (error) throw error;
    if (!user) throw unauthorized();
    return user;
  }

  async #authenticate(context: ExecutionContext): Promise<SessionUser> {
    const request = context.switchToHttp().getRequest<Request & { user: SessionUser }>();
    const token = bearerOf(request);
    if (token === null) throw unauthorized();
    const user = this.tokens.cached(token) ?? (isApiKey(token) ? await this.tokens.resolveKey(token) : null);
    if (user) request.user = user;
    else if (isApiKey(token)) throw unauthorized();
    else await super.canActivate(context);
    return request.user;
  }
}

const unauthorized = (): ApiError =>
  new ApiError(
    'unauthorized',
    'The token is missing or not valid. Send `Authorization: Bearer <token>` with an API key or the `jwtToken` of `POST /panel/login`.',
  );

export const scopeForMethod = (method: string): KeyScope => (method === 'GET' || method === 'HEAD' ? 'read' : 'all');

/**
 * @param what needs the scope, as the subject of the error's sentence.
 * @throws {ApiError} 403.
 */
export function checkScope(
  key: NonNullable<SessionUser['key']>,
  needed: KeyScope | 'session',
  what = 'This route',
): void {
  if (needed === 'session') {
    throw new ApiError('forbidden', 'This route does not accept API keys. Send the `jwtToken` of `POST /panel/login`.');
  }
  if (KEY_SCOPES.indexOf(key.scope) >= KEY_SCOPES.indexOf(needed)) return;
  throw new ApiError(
    'forbidden',
    `${what} needs an API key with the scope ${needed}; the key “${key.name}” has the scope ${key.scope}.`,
  );
}
