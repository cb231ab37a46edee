import { type INestApplication, RequestMethod } from '@nestjs/common';
import { GUARDS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { KeyScope, Role } from '@trawl/contracts';
import { byMethod, NEEDS, PUBLIC, ROLES } from '../auth/auth.guard.js';

/** What the guards do with a route, read from where they read it themselves. */
export interface RouteFacts {
  /** Nobody is asked for a token. */
  isPublic: boolean;
  /** Undefined: any. */
  roles: Role[] | undefined;
  /** What an API key needs. */
  needs: KeyScope | 'session';
  /** Calls are counted by address. */
  isLimited: boolean;
}

/** By operation id. */
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
    needs: own<KeyScope | 'session'>(NEEDS) ?? byMethod(isGet ? 'GET' : 'POST'),
    isLimited: guards.some(guard => guard === ThrottlerGuard || (guard as object) instanceof ThrottlerGuard),
  };
}
