import type { Operation } from '../documented-api.js';
import type { Answer, Api } from '../test-app.js';
import { fromElsewhere, type World } from '../world.js';
import { ROUTES } from './index.js';
import type { Call, Route, Scope } from './route.js';

/**
 * Finds the row of a route.
 * @throws Error that says where to add the row if it is missing.
 */
export function routeOf({ id, method, path }: Operation): Route {
  const route = ROUTES[id];
  if (route) return route;
  throw new Error(`${method} ${path} has no row: add ${id} to the file of its noun in backend/test/routes/.`);
}

/** Returns the scope that an API key needs. */
export const scopeOf = (operation: Operation): Scope =>
  routeOf(operation).scope ?? (operation.method === 'GET' ? 'read' : 'all');

/** Builds the successful call of the operation's row. */
export const goodCall = async (world: World, operation: Operation): Promise<Call> =>
  (await routeOf(operation).call?.(world)) ?? {};

/** Returns the API of the caller that `call.as` names, or of the default caller. */
export function usualApi(world: World, operation: Operation, call: Call = {}): Api {
  const { access } = routeOf(operation);
  const as = call.as ?? (access === 'public' ? 'anonymous' : access === 'admin' ? 'admin' : 'owner');
  return as === 'anonymous' ? world.anonymous : world[as].api;
}

export function send(world: World, operation: Operation, call: Call, api: Api): Promise<Answer> {
  const headers = { ...fromElsewhere(), ...call.headers };
  return api(operation.method, call.url ?? urlOf(world, operation, call), call.body, headers);
}

function urlOf(world: World, operation: Operation, call: Call): string {
  const { things } = call.as === 'other' ? world.other : world.owner;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = call.path?.[name] ?? things[name];
    if (value !== undefined) return encodeURIComponent(value);
    throw new Error(
      `${operation.id} needs ${name}: let its row make one, or add it to what everybody has, makeThings in backend/test/world.ts.`,
    );
  });
  const query = Object.entries(call.query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)]),
  );
  return query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path;
}
