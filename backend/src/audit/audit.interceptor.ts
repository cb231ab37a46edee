import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { isPublic } from '../auth/auth.guard.js';
import type { SessionUser } from '../auth/current-user.js';
import { ApiError } from '../common/errors.js';
import { seenAddress } from '../common/seen-address.js';
import { IDEMPOTENCY_REPLAYED } from '../idempotency/idempotent.js';
import type { AuditLog, Happening } from './audit-log.service.js';
import { AUDITED, auditedAccount } from './audited.js';

/** Where `@ApiOperation` keeps what it was given. */
const OPERATION = 'swagger/apiOperation';
const LOGIN = 'login';
const MOST_FIELDS = 100;
const MOST_TARGETS = 100;
const MOST_CHARS = 200;

interface Route {
  action: string;
  kind: string;
}
interface Target {
  kind: string;
  id: string;
}

/**
 * Notes every call that changed something, and every login, also one that failed. It stands behind the interceptor of
 * repeated calls: what was only answered again did not happen again.
 */
export class AuditInterceptor implements NestInterceptor {
  readonly #reflector = new Reflector();

  constructor(private readonly log: () => AuditLog) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const route = this.#routeOf(context);
    if (!route) return next.handle();
    const request = context.switchToHttp().getRequest<Request & { user?: SessionUser }>();
    const response = context.switchToHttp().getResponse<Response>();
    const note = (status: number, answer?: unknown) => {
      for (const target of targetsOf(route, request, answer))
        this.log().note(happening(route, request, status, target));
    };
    return next.handle().pipe(
      tap({
        next: answer => {
          // A start that joined an earlier one changed nothing.
          if (!response.hasHeader(IDEMPOTENCY_REPLAYED)) note(response.statusCode, answer);
        },
        error: error => {
          if (route.action === LOGIN && error instanceof ApiError && error.status !== 400) note(error.status);
        },
      }),
    );
  }

  #routeOf(context: ExecutionContext): Route | null {
    if (context.getType() !== 'http') return null;
    const targets = [context.getHandler(), context.getClass()];
    const marked = this.#reflector.getAllAndOverride<{ kind?: string } | undefined>(AUDITED, targets);
    const { method } = context.switchToHttp().getRequest<Request>();
    const reads = method === 'GET' || method === 'HEAD';
    if (!marked && (reads || isPublic(context, this.#reflector))) return null;
    const operation = this.#reflector.get<{ operationId?: string } | undefined>(OPERATION, context.getHandler());
    const action = operation?.operationId ?? context.getHandler().name;
    return { action, kind: marked?.kind ?? kindOf(action) };
  }
}

function happening(
  { action }: Route,
  request: Request & { user?: SessionUser },
  status: number,
  target: Target | null,
): Happening {
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
    ip: seenAddress(request),
  };
}

/** What the path names, or else what the answer is: one thing, or each of several. */
function targetsOf({ kind }: Route, { params }: Request, answer: unknown): (Target | null)[] {
  const named = Object.entries(params);
  const [last] = named.at(-1) ?? [];
  if (last) {
    const id = named.map(([, value]) => value).join('/');
    return [{ kind: last.replace(/_id$/, ''), id: text(id) }];
  }
  const things = Array.isArray(answer) ? answer.slice(0, MOST_TARGETS) : [answer];
  const ids = things.map(thing => (thing as { id?: unknown } | undefined | null)?.id);
  return ids.length === 0 ? [null] : ids.map(id => (typeof id === 'string' ? { kind, id: text(id) } : null));
}

/** `createSkriptFile` makes a `skriptFile`. */
function kindOf(action: string): string {
  const noun = action.replace(/^[a-z]+/, '');
  return noun.charAt(0).toLowerCase() + noun.slice(1);
}

const fieldsOf = (body: unknown): string[] =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !Buffer.isBuffer(body)
    ? Object.keys(body).slice(0, MOST_FIELDS).map(text)
    : [];

/** PostgreSQL takes no NUL and no half of a pair. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;
const text = (sent: string): string => sent.slice(0, MOST_CHARS).replace(UNSTORABLE, '\uFFFD');
