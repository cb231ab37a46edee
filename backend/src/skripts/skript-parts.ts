import type { ObjectLiteral, Repository, SelectQueryBuilder } from 'typeorm';
import { containsPattern } from '../common/list-rows.js';
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
