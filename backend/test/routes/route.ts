import type { ApiErrorCode } from '@trawl/contracts';
import type { World } from '../world.js';

/** The kinds of callers in `authorisation-matrix.integration.test.ts`. */
export const CALLERS = [
  'noToken',
  'badToken',
  'expiredToken',
  'revokedKey',
  'readKey',
  'runKey',
  'other',
  'owner',
  'admin',
] as const;
export type Caller = (typeof CALLERS)[number];

/**
 * The callers who may use a route:
 * - `public`: everyone, without a token.
 * - `own`: all signed-in users, for their own account and lists.
 * - `owned`: the owner of the resource. Other users get 404.
 * - `admin`: administrators.
 */
export type Access = 'public' | 'own' | 'owned' | 'admin';

export type Scope = 'read' | 'run' | 'all' | 'session';

/** A request without its method and path, which come from openapi.yaml. */
export interface Call {
  /**
   * Path parameters. A parameter that is missing here gets the id of that name from `things` of the caller, by default
   * of the owner.
   */
  path?: Record<string, string>;
  /** Query parameters. A list is sent as a repeated parameter. */
  query?: Record<string, unknown>;
  /** Text and bytes are sent unchanged, all other values as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Path and query as they are sent. They replace `path` and `query` above. */
  url?: string;
  /**
   * The caller. Default: an administrator if the route's access is `admin`, nobody if it is `public`, otherwise
   * the owner.
   */
  as?: 'anonymous' | 'owner' | 'other' | 'admin';
}

export type MakeCall = (world: World) => Call | Promise<Call>;

/** A row of the table of routes: how to call a route, and how to cause its errors. */
export interface Route {
  access: Access;
  /**
   * The scope that an API key needs. Default: `read` for GET, otherwise `all`. With `session`, API keys are refused.
   */
  scope?: Scope;
  /** Builds a successful call. If the call deletes or closes something, creates a new one for each call. */
  call?: MakeCall;
  /** Statuses that differ from those in `ACCESS` of authorisation-matrix.integration.test.ts, by caller. */
  expect?: Partial<Record<Caller, number>>;
  /**
   * Calls that cause an error, by `error_code`. Needed for each documented error that
   * documented-errors.integration.test.ts cannot cause in the same way for every route.
   */
  errors?: Partial<Record<ApiErrorCode, MakeCall>>;
}

/** Makes something only once for each world or person, because it is costly and no call changes it. */
export function oncePer<Owner extends object>(make: (owner: Owner) => Promise<string>): typeof make {
  const made = new WeakMap<Owner, Promise<string>>();
  return owner => {
    const known = made.get(owner) ?? make(owner);
    made.set(owner, known);
    return known;
  };
}

/** Makes a call whose body has only a name that another resource of the owner already has. */
export const takenName =
  (add: string, fresh: (world: World) => object): MakeCall =>
  async world => {
    const { name } = await world.owner.created(add, fresh(world));
    return { body: { name } };
  };

/** Rows by operationId. */
export type Routes = Record<string, Route>;
