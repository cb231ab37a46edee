import { type INestApplication, RequestMethod } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { KeyScope, Role } from '@trawl/contracts';
import { NEEDS, PUBLIC, ROLES, scopeForMethod } from '../../platform/auth/auth.guard.js';
import { SORTABLE_FIELDS } from '../../platform/http/lists/list-query.js';

/** Access rules of a route, read from the same metadata that the guards read. */
export interface RouteFacts {
  /** Whether the route works without a token. */
  isPublic: boolean;
  /** Undefined when every role may call the route. */
  roles: Role[] | undefined;
  /** Scope that an API key needs. `session` means that every API key is refused. */
  needs: KeyScope | 'session';
  /** Whether calls are rate-limited by address. */
  isLimited: boolean;
  /** Fields by which the route's list can be sorted. Empty if the route has no such list. */
  sortable: readonly string[];
}

/** Reads the access rules of all routes, by operation id. */
export function routeFacts(app: INestApplication): Map<string, RouteFacts> {
  const facts = new Map<string, RouteFacts>();
  for (const module of app.get(ModulesContainer).values()) {
    for (const { metatype } of module.controllers.values()) {
      if (typeof metatype !== 'function') continue;
      for (const name of Object.getOwnPropertyNames(metatype.prototype)) {
        const handler: unknown = metatype.prototype[name];
        if (typeof handler !== 'function') continue;
        const operation: { operationId?: string } | undefined = Reflect.getMetadata('swagger/apiOperation', handler);
        if (operation?.operationId) facts.set(operation.operationId, factsOf(handler, metatype));
      }
    }
  }
  return facts;
}

function factsOf(handler: object, controller: object): RouteFacts {
  const own = <T>(key: string): T | undefined =>
    Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller);
  const isGet = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
  const guards = [handler, controller].flatMap<unknown>(target => Reflect.getMetadata(GUARDS_METADATA, target) ?? []);
  return {
    isPublic: own<boolean>(PUBLIC) ?? false,
    roles: own<Role[]>(ROLES),
    needs: own<KeyScope | 'session'>(NEEDS) ?? scopeForMethod(isGet ? 'GET' : 'POST'),
    sortable: own<readonly string[]>(SORTABLE_FIELDS) ?? [],
    isLimited: guards.some(guard => guard === ThrottlerGuard || (guard as object) instanceof ThrottlerGuard),
  };
}
