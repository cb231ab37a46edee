import { LIMITS } from '@trawl/contracts';
import type { EntityManager, ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { ApiError } from '../common/errors.js';
import { containsPattern } from '../common/list-rows.js';
import { isUniqueViolation } from '../common/unique-violation.js';
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

/** @throws {ApiError} 413 when the skript has as many of them as it may. Call it while the skript is locked. */
export async function checkCount(
  manager: EntityManager,
  table: 'inputs' | 'input_secrets',
  skriptId: string,
): Promise<void> {
  const [row] = await manager.query<{ n: number }[]>(`SELECT count(*)::int AS n FROM ${table} WHERE skript_id = $1`, [
    skriptId,
  ]);
  if (row && row.n >= MAX_PARTS) {
    throw new ApiError(
      'payload_too_large',
      `The skript has ${MAX_PARTS} ${table.replace('_', ' ')}, which is the most it may have.`,
    );
  }
}

/** Turns the refusal of a name that is taken into the 409 that says so. */
export async function named<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ApiError('name_taken', `The skript has ${name} already. Choose another name, or change that one.`);
  }
}
