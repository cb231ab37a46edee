import type { ApiErrorCode } from '@trawl/contracts';
import type { World } from '../world.js';

/** Who may call a route in `authorisation-matrix.integration.test.ts`. */
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
 * What a route is about:
 * - `public`: no token is needed.
 * - `own`: of whoever calls (their lists, their account), or of everyone who has signed in.
 * - `owned`: one thing of one user; for everybody else there is no such thing.
 * - `admin`: for administrators.
 */
export type Access = 'public' | 'own' | 'owned' | 'admin';

export type Scope = 'read' | 'run' | 'all' | 'session';

/** A request, without its method and path, which openapi.yaml knows. */
export interface Call {
  /** Path parameters; those not named here are the `things` of the same name, the owner's or, as `other`, theirs. */
  path?: Record<string, string>;
  /** A list is sent as the same name several times. */
  query?: Record<string, unknown>;
  /** Anything but a text or bytes is sent as JSON, these as they are. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Path and query as they are sent, instead of those above. */
  url?: string;
  /** Who calls, when it is not the usual one: an administrator for `admin`, nobody for `public`, else the owner. */
  as?: 'anonymous' | 'owner' | 'other' | 'admin';
}

export type MakeCall = (world: World) => Call | Promise<Call>;

/** A row of the table: how a route is called, and what may go wrong with it. */
export interface Route {
  access: Access;
  /** The scope that an API key needs; by default `read` for a GET and `all` for the rest. `session`: no key will do. */
  scope?: Scope;
  /** A call that succeeds. What it uses up (deletes, closes) it makes itself, each time. */
  call?: MakeCall;
  /** Callers who get another status than `ACCESS` in authorisation-matrix.integration.test.ts says. */
  expect?: Partial<Record<Caller, number>>;
  /**
   * By `error_code`, a call that ends so; needed for each one that openapi.yaml names and that the table in
   * documented-errors.integration.test.ts cannot produce for every route alike.
   */
  errors?: Partial<Record<ApiErrorCode, MakeCall>>;
}

/** By operationId. */
export type Routes = Record<string, Route>;
