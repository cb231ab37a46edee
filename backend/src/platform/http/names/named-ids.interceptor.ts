import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { isUUID } from 'class-validator';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { DataSource } from 'typeorm';
import { ApiError } from '../../common/errors.js';
import { NAMED_IDS, NAMED_PARTS, takesName } from './named-ids.js';

type Fields = Record<string, unknown>;

const NAMED = { ...NAMED_IDS, ...NAMED_PARTS };
type NamedId = keyof typeof NAMED;
const NAMED_FIELDS = Object.keys(NAMED) as NamedId[];

/** SQL that selects the id of a part with the name `$2` of the skript `$3`, if this belongs to the owner `$1`. */
const findPart = (table: string): string =>
  `SELECT p.id FROM ${table} p JOIN skripts s ON s.id = p.skript_id WHERE s.owner_id = $1 AND p.name = $2 AND s.id = $3`;

/** Selects the id of the resource with the name `$2` of the owner `$1`. Names are unique. */
const FIND: Record<NamedId, string> = {
  skript_id: 'SELECT id FROM skripts WHERE owner_id = $1 AND title = $2',
  db_id:
    'SELECT id FROM mongo_databases WHERE (owner_id = $1 OR shared) AND name = $2 ORDER BY owner_id = $1 DESC LIMIT 1',
  input_id: findPart('inputs'),
  inputSecret_id: findPart('input_secrets'),
};

/**
 * Replaces the title of a skript and the name of a database by the id, in the path, the query and the body of a call; in
 * the query and the body also the name of a skript's input. A text that is an id is never taken for a name. Runs after the guards, which set the caller, and before validation.
 */
@Injectable()
export class NamedIdsInterceptor implements NestInterceptor {
  constructor(private readonly dataSource: DataSource) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request & { user?: { id: string } }>();
    const { user, params, query, body } = request;
    if (!user || ![params, query, body].some(hasName)) return next.handle();
    return this.#replaceNames(context, request, user.id).then(() => next.handle());
  }

  /** @throws {ApiError} 404 if the caller has no resource with the name. */
  async #replaceNames(context: ExecutionContext, request: Request, ownerId: string): Promise<void> {
    Object.assign(request.params, await this.#idsIn(ownerId, request.params, field => field in NAMED_IDS));
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
    for (const field of NAMED_FIELDS) {
      const name = nameIn(fields, field);
      if (name === undefined || !takesName(field)) continue;
      // `skript_id` comes first in `NAMED`, so its title has been replaced.
      ids = { ...ids, [field]: await this.#idOf(ownerId, field, name, ids?.skript_id ?? fields.skript_id) };
    }
    return ids;
  }

  async #idOf(ownerId: string, field: NamedId, name: string, skriptId: unknown): Promise<string> {
    const values = [ownerId, name];
    if (field in NAMED_PARTS) {
      if (!isUUID(skriptId)) throw needsSkript(field);
      values.push(skriptId as string);
    }
    const [row] = await this.dataSource.query<{ id: string }[]>(FIND[field], values);
    if (row) return row.id;
    const resource = NAMED[field];
    const owner = field in NAMED_PARTS ? 'this skript has' : 'you have';
    throw new ApiError(
      'not_found',
      `${field}: ${owner} no ${resource.noun} with the ${resource.name} ${JSON.stringify(name)}. Send its id, or its exact ${resource.name}.`,
    );
  }
}

function needsSkript(field: NamedId): ApiError {
  const message = `${field} must be an id, or a name together with skript_id`;
  return new ApiError('validation_failed', `${message}.`, [{ field, message }]);
}

/** Returns whether a field has a text that may be a name. */
const hasName = (fields: unknown): boolean =>
  typeof fields === 'object' &&
  fields !== null &&
  NAMED_FIELDS.some(field => nameIn(fields as Fields, field) !== undefined);

/** Returns the name in a field; undefined if the field has an id or a text that cannot be a name. */
function nameIn(fields: Fields, field: NamedId): string | undefined {
  const sent = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (typeof sent !== 'string' || isUUID(sent)) return undefined;
  const name = sent.trim();
  const isPossible = name !== '' && name.length <= NAMED[field].maxChars && !name.includes('\0');
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
