import { LIMITS } from '@trawl/contracts';
import type { EntityManager, ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { ApiError, notFound } from '../../platform/common/errors.js';
import { containsPattern } from '../../platform/http/lists/list-rows.js';
import { checkNameFree, TakenNames } from './names.js';
import type { SkriptPartsQuery } from './skript-parts.dto.js';

export const PART_SORTABLE = ['created_at', 'updated_at', 'name'];
/** The highest number of files, of inputs and of input secrets in one skript. */
export const MAX_PARTS = LIMITS.partsPerSkript;

/** Builds a query for the parts (files, inputs or input secrets) of all skripts of an owner. */
export function partsOf<Row extends ObjectLiteral>(
  repository: Repository<Row>,
  ownerId: string,
  query: Partial<SkriptPartsQuery> = {},
): SelectQueryBuilder<Row> {
  const parts = repository
    .createQueryBuilder('p')
    .innerJoin('skripts', 's', 's.id = p.skript_id')
    .where('s.owner_id = :ownerId', { ownerId });
  if (query.skript_id) parts.andWhere('p.skript_id = :skriptId', { skriptId: query.skript_id });
  if (query.name_contains) parts.andWhere('p.name ILIKE :name', { name: containsPattern(query.name_contains) });
  return parts;
}

/**
 * Finds one of `parts` by its id.
 * @throws {ApiError} 404 with `kind` in the message.
 */
export async function findPart<Row extends ObjectLiteral>(
  parts: SelectQueryBuilder<Row>,
  id: string,
  kind: string,
): Promise<Row> {
  const row = await parts.andWhere('p.id = :id', { id }).getOne();
  if (!row) throw notFound(kind, id);
  return row;
}

/** The name of a stored input or input secret, and its value as JSON text. */
export interface StoredValue {
  id: string;
  name: string;
  json: string;
}

/**
 * Converts a value to JSON text.
 * @throws {ApiError} 413 when its JSON text is too long.
 */
export function toJson(name: string, val: unknown): string {
  const json = JSON.stringify(val);
  const size = Buffer.byteLength(json);
  if (size > LIMITS.inputBytes) {
    throw new ApiError('payload_too_large', `${name} is ${size} bytes as JSON; the limit is ${LIMITS.inputBytes}.`);
  }
  return json;
}

/** @throws {ApiError} 400 when a PUT tries to move a part to another skript. */
export function checkSameSkript(skriptId: string, sent: string | undefined): void {
  if (sent === undefined || sent.toLowerCase() === skriptId) return;
  const message = 'cannot change; add the item to the other skript and delete it here';
  throw new ApiError('validation_failed', `skript_id ${message}.`, [{ field: 'skript_id', message }]);
}

type PartTable = 'skript_files' | 'inputs' | 'input_secrets';

export async function namesOf(
  manager: EntityManager,
  table: PartTable,
  skriptId: string,
  exceptId: string | null = null,
): Promise<string[]> {
  const rows = await manager.query<{ name: string }[]>(
    `SELECT name FROM ${table} WHERE skript_id = $1 AND id IS DISTINCT FROM $2::uuid`,
    [skriptId, exceptId],
  );
  return rows.map(({ name }) => name);
}

/**
 * Checks that the skript can take a part with this name. Lock the skript first.
 * @param exceptId the part that gets the name, if it already exists.
 * @throws {ApiError} 409 `name_taken`; 413 when the skript has reached the limit.
 */
export async function checkPart(
  manager: EntityManager,
  table: PartTable,
  skriptId: string,
  name: string,
  exceptId?: string,
): Promise<void> {
  const names = await namesOf(manager, table, skriptId, exceptId);
  checkNameFree(new TakenNames(names), name);
  if (names.length < MAX_PARTS) return;
  const kind = table.replace(/^.*_/, '');
  throw new ApiError('payload_too_large', `The skript has ${MAX_PARTS} ${kind}, which is the limit. Delete one first.`);
}
