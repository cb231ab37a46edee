import { LIMITS } from '@trawl/contracts';
import type { EntityManager, ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { containsPattern } from '../common/list-rows.js';
import { checkNameFree, TakenNames } from './names.js';
import type { SkriptPartsQuery } from './skript-files.dto.js';

export const PART_SORTABLE = ['created_at', 'updated_at', 'name'];
/** Of each kind in one skript. */
export const MAX_PARTS = 500;

/** Rows that belong to skripts of one owner. */
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

/** A value as it reaches a run: its JSON text, and the name it is kept under. */
export interface StoredValue {
  id: string;
  name: string;
  json: string;
}

/** @throws {ApiError} 413 for a value whose JSON text is too long. */
export function toJson(name: string, val: unknown): string {
  const json = JSON.stringify(val);
  const size = Buffer.byteLength(json);
  if (size > LIMITS.inputBytes) {
    throw new ApiError('payload_too_large', `${name} is ${size} bytes as JSON; it may have ${LIMITS.inputBytes}.`);
  }
  return json;
}

/** @throws {ApiError} 400 when a PUT names another skript than the one the part belongs to. */
export function checkSameSkript(skriptId: string, sent: string | undefined): void {
  if (sent === undefined || sent.toLowerCase() === skriptId) return;
  const message = 'cannot change; add it to the other skript and delete it here';
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
 * Whether the skript can have one more of a kind under this name. Call it while the skript is locked.
 * @param exceptId the one that gets the name, when it is there already.
 * @throws {ApiError} 409 `name_taken`; 413 when the skript has as many as it may.
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
  throw new ApiError('payload_too_large', `The skript has ${MAX_PARTS} ${kind}, which is the most it may have.`);
}
