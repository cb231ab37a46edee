import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { isUUID } from 'class-validator';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import type { SessionUser } from '../auth/current-user.js';
import { ApiError } from '../common/errors.js';
import { NAMED_IDS, takesName } from '../http/named-ids.js';

type Fields = Record<string, unknown>;

/** For each of `NAMED_IDS`: selects the id of the resource with the name `$2` of the owner `$1`. Names are unique. */
const FIND: Record<string, string> = {
  skript_id: 'SELECT id FROM skripts WHERE owner_id = $1 AND title = $2',
  db_id: 'SELECT id FROM mongo_databases WHERE owner_id = $1 AND name = $2',
};

/**
 * Replaces the title of a skript and the name of a database by the id, in the path, the query and the body of a call.
 * A text that is an id is never taken for a name. Runs after the guards, which set the caller, and before validation.
 */
@Injectable()
export class NamedIdsInterceptor implements NestInterceptor {
  constructor(private readonly dataSource: DataSource) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() === 'http') await this.#replaceNames(context);
    return next.handle();
  }

  /** @throws {ApiError} 404 if the caller has no resource with the name. */
  async #replaceNames(context: ExecutionContext): Promise<void> {
    const request = context.switchToHttp().getRequest<Request & { user?: SessionUser }>();
    if (!request.user) return;
    const { id: ownerId } = request.user;
    Object.assign(request.params, await this.#idsIn(ownerId, request.params, () => true));
    const inQuery = await this.#idsIn(ownerId, request.query, field => takes(context, RouteParamtypes.QUERY, field));
    // Express computes `query` from the address each time, so it can only be replaced as a whole.
    if (inQuery) Object.defineProperty(request, 'query', { value: { ...request.query, ...inQuery } });
    const body: unknown = request.body;
    if (typeof body !== 'object' || body === null) return;
    Object.assign(
      body,
      await this.#idsIn(ownerId, body as Fields, field => takes(context, RouteParamtypes.BODY, field)),
    );
  }

  /** Returns the ids of the resources that are named in `fields`; undefined if none is named. */
  async #idsIn(ownerId: string, fields: Fields, takesName: (field: string) => boolean): Promise<Fields | undefined> {
    let ids: Fields | undefined;
    for (const field of Object.keys(NAMED_IDS)) {
      const name = nameIn(fields, field);
      if (name !== undefined && takesName(field)) ids = { ...ids, [field]: await this.#idOf(ownerId, field, name) };
    }
    return ids;
  }

  async #idOf(ownerId: string, field: string, name: string): Promise<string> {
    const [row] = await this.dataSource.query<{ id: string }[]>(FIND[field] as string, [ownerId, name]);
    if (row) return row.id;
    const resource = NAMED_IDS[field];
    throw new ApiError(
      'not_found',
      `${field}: you have no ${resource?.noun} with the ${resource?.name} ${JSON.stringify(name)}. Send its id, or its exact ${resource?.name}.`,
    );
  }
}

/** Returns the name in a field; undefined if the field has an id or a text that cannot be a name. */
function nameIn(fields: Fields, field: string): string | undefined {
  const sent = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (typeof sent !== 'string' || isUUID(sent)) return undefined;
  const name = sent.trim();
  const isPossible = name !== '' && name.length <= (NAMED_IDS[field]?.maxChars ?? 0) && !name.includes('\0');
  return isPossible ? name : undefined;
}

/** Returns whether the DTO of the route's body or query takes names in this field. */
function takes(context: ExecutionContext, kind: RouteParamtypes, field: string): boolean {
  const [controller, handler] = [context.getClass(), context.getHandler().name];
  const parameters: Record<string, { index: number }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {};
  const types: Type[] = Reflect.getMetadata('design:paramtypes', controller.prototype, handler) ?? [];
  return Object.entries(parameters).some(([key, { index }]) => {
    const dto = types[index];
    return key.startsWith(`${kind}:`) && dto !== undefined && takesName(dto, field);
  });
}
