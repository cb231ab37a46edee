import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { from, mergeMap, type Observable, tap } from 'rxjs';
import { isPublic, NEEDS, scopeForMethod } from '../auth/auth.guard.js';
import type { SessionUser } from '../auth/current-user.js';
import { ApiError } from '../common/errors.js';
import { clientAddress } from '../http/client-address.js';
import { IDEMPOTENCY_REPLAYED } from '../idempotency/idempotent.js';
import { type AuditEvent, AuditLog } from './audit-log.service.js';
import { AUDITED, type AuditedRoute, auditedAccount, auditedResources } from './audited.js';
import { nameInAnswer } from './target-names.repository.js';

/** The metadata key under which `@ApiOperation` stores its options. */
const OPERATION = 'swagger/apiOperation';
const LOGIN = 'login';
const MAX_FIELDS = 100;
const MAX_TARGETS = 100;
/** An entry about many resources has at most this many of their ids. */
const MAX_IDS = 5;
const MAX_CHARS = 200;

interface Route {
  action: string;
  kind: string;
  resourcesOf?: (answer: unknown) => unknown;
}
interface Target {
  kind: string;
  id: string;
  name?: string | undefined;
}

/**
 * Records every call that changed something, and every login, including failed ones. Runs after
 * `IdempotencyInterceptor`, so that it does not record repeated calls again.
 * See docs/decisions/0433-the-audit-log.md.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly log: AuditLog,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = this.#routeOf(context);
    if (!route) return next.handle();
    const request = context.switchToHttp().getRequest<Request & { user?: SessionUser }>();
    const response = context.switchToHttp().getResponse<Response>();
    const record = (status: number, name: string | null, answer?: unknown) => {
      for (const target of targetsOf(route, request, answer))
        this.log.record({ ...eventOf(route, request, status, target), target_name: target?.name ?? name });
    };
    const call = (name: string | null) =>
      next.handle().pipe(
        tap({
          next: answer => {
            // A repeated call changed nothing, for example a start that returned an earlier run with the same
            // idempotency key.
            if (!response.hasHeader(IDEMPOTENCY_REPLAYED)) record(response.statusCode, name, answer);
          },
          error: error => {
            if (route.action === LOGIN && error instanceof ApiError && error.status !== 400) record(error.status, name);
          },
        }),
      );
    if (request.method !== 'DELETE') return call(null);
    // After the call, the resource has no name any more.
    return from(this.#nameOf(route, request)).pipe(mergeMap(call));
  }

  async #nameOf(route: Route, request: Request): Promise<string | null> {
    const [target] = targetsOf(route, request, undefined);
    return target ? this.log.nameBeforeDeletion(target) : null;
  }

  #routeOf(context: ExecutionContext): Route | null {
    if (context.getType() !== 'http') return null;
    const targets = [context.getHandler(), context.getClass()];
    const marked = this.reflector.getAllAndOverride<AuditedRoute | false | undefined>(AUDITED, targets);
    if (marked === false) return null;
    const { method } = context.switchToHttp().getRequest<Request>();
    // The scope of a POST that only reads, such as an aggregation, is `read`.
    const scope = this.reflector.getAllAndOverride<string | undefined>(NEEDS, targets);
    const reads = scope === 'read' || scopeForMethod(method) === 'read';
    if (!marked && (reads || isPublic(context, this.reflector))) return null;
    const operation = this.reflector.get<{ operationId?: string } | undefined>(OPERATION, context.getHandler());
    const action = operation?.operationId ?? context.getHandler().name;
    const resourcesOf = marked?.resourcesOf as Route['resourcesOf'];
    return { action, kind: marked?.kind ?? kindOf(action), resourcesOf };
  }
}

function eventOf(
  { action }: Route,
  request: Request & { user?: SessionUser },
  status: number,
  target: Target | null,
): Omit<AuditEvent, 'target_name'> {
  const user = request.user ?? auditedAccount(request);
  return {
    user_id: user?.id ?? null,
    username: user?.username ?? null,
    key_id: request.user?.key?.id ?? null,
    key_name: request.user?.key?.name ?? null,
    action,
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    fields: action === LOGIN ? [] : fieldsOf(request.body),
    status,
    ip: clientAddress(request),
  };
}

/** Returns the resource whose id is in the path. If there is none, returns all resources in the response. */
function targetsOf({ kind, resourcesOf }: Route, request: Request, answer: unknown): (Target | null)[] {
  const many = auditedResources(request);
  if (many) return [{ kind: many.kind, id: many.ids.slice(0, MAX_IDS).join(','), name: many.name }];
  const named = Object.entries(request.params);
  const [last] = named.at(-1) ?? [];
  if (last) {
    const id = named.map(([, value]) => value).join('/');
    return [{ kind: last.replace(/_id$/, ''), id: text(id) }];
  }
  const resources = resourcesOf && answer !== undefined ? resourcesOf(answer) : answer;
  const things: unknown[] = Array.isArray(resources) ? resources.slice(0, MAX_TARGETS) : [resources];
  return things.length === 0 ? [null] : things.map(thing => targetOf(kind, thing));
}

function targetOf(kind: string, thing: unknown): Target | null {
  if (typeof thing !== 'object' || thing === null || !('id' in thing) || typeof thing.id !== 'string') return null;
  return { kind, id: text(thing.id), name: nameInAnswer(kind, thing) };
}

/** Derives the kind from the operation: `createSkriptFile` gives `skriptFile`. */
function kindOf(action: string): string {
  const noun = action.replace(/^[a-z]+/, '');
  return noun.charAt(0).toLowerCase() + noun.slice(1);
}

const fieldsOf = (body: unknown): string[] =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !Buffer.isBuffer(body)
    ? Object.keys(body).slice(0, MAX_FIELDS).map(text)
    : [];

/** Characters that PostgreSQL cannot store: NUL, and half of a surrogate pair. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;
const text = (sent: string): string => sent.slice(0, MAX_CHARS).replace(UNSTORABLE, '\uFFFD');
