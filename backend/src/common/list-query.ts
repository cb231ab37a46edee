import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiError } from './errors.js';
import { IntField, StringField } from './fields.js';

export const MAX_LIMIT = 1_000;
export const MAX_SKIP = 10_000;
/** Room for the longest texts that lists are sorted by. */
export const MAX_CURSOR_CHARS = 4_000;
/** A total is exact up to here; beyond it counting would cost more than it tells. */
export const TOTAL_CAP = 10_000;

/** What every list takes. */
export class ListQuery {
  @IntField({ description: 'How many items at most.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({
    description: `How many items to pass over; beyond ${MAX_SKIP}, go on with \`after\`.`,
    min: 0,
    max: MAX_SKIP,
    default: 0,
    optional: true,
  })
  skip = 0;

  @StringField({
    description:
      '`next` of the page before, with the same sort and filters: the page that follows it, however deep, and whatever was added meanwhile.',
    min: 1,
    max: MAX_CURSOR_CHARS,
    optional: true,
  })
  after?: string;

  @StringField({
    description: 'Fields to sort by, comma-separated, `-` before one for descending.',
    example: '-created_at,name',
    max: 200,
    optional: true,
  })
  sort?: string;
}

export class SelectQuery extends ListQuery {
  @StringField({
    description:
      'Fields to answer, comma-separated, or those to leave out, each with `-` before it. `id` always comes.',
    example: 'title,category',
    max: 500,
    optional: true,
  })
  select?: string;
}

export interface List<T> {
  total: number;
  total_capped?: true;
  limit: number;
  skip: number;
  /** `after` of the page that follows; absent on the last one. */
  next?: string;
  items: T[];
}

/** `items` of `query`, with the total that was counted up to `TOTAL_CAP + 1`. */
export function toList<T>(
  query: Pick<ListQuery, 'limit' | 'skip'>,
  counted: number,
  items: T[],
  next?: string,
): List<T> {
  const capped = counted > TOTAL_CAP;
  return {
    total: capped ? TOTAL_CAP : counted,
    ...(capped ? { total_capped: true as const } : {}),
    limit: query.limit,
    skip: query.skip,
    ...(next === undefined ? {} : { next }),
    items,
  };
}

export type SortOrder = [field: string, direction: 'ASC' | 'DESC'][];

/**
 * `-created_at,name` as pairs, `id` last so that pages never overlap.
 * @throws {ApiError} 400 naming a field that is not in `sortable`.
 */
export function parseSort(sort: string | undefined, sortable: readonly string[], byDefault = '-created_at'): SortOrder {
  const order: SortOrder = (sort || byDefault).split(',').map(part => {
    const field = part.trim().replace(/^[-+]/, '');
    if (!sortable.includes(field)) {
      throw new ApiError('validation_failed', `Cannot sort by ${field}. Sortable: ${sortable.join(', ')}.`, [
        { field: 'sort', message: `unknown field ${field}` },
      ]);
    }
    return [field, part.trim().startsWith('-') ? 'DESC' : 'ASC'];
  });
  if (!order.some(([field]) => field === 'id')) order.push(['id', order[0]?.[1] ?? 'DESC']);
  return order;
}

/**
 * Which of `fields` a `select` names.
 * @throws {ApiError} 400 naming an unknown field, or a mix of fields to take and fields to leave out.
 */
export function parseSelect(select: string | undefined, fields: readonly string[]): readonly string[] {
  if (!select) return fields;
  const parts = select.split(',').map(part => part.trim());
  const named = parts.map(part => part.replace(/^-/, ''));
  const unknown = named.find(name => !fields.includes(name));
  const excluding = parts.filter(part => part.startsWith('-')).length;
  if (unknown !== undefined || (excluding > 0 && excluding < parts.length)) {
    const message =
      unknown === undefined ? 'mixes fields to answer with fields to leave out' : `unknown field ${unknown}`;
    throw new ApiError('validation_failed', `select: ${message}. Fields: ${fields.join(', ')}.`, [
      { field: 'select', message },
    ]);
  }
  return fields.filter(name => name === 'id' || named.includes(name) !== excluding > 0);
}

/** The entity with only the chosen fields, which `parseSelect` gave: the id is among them. */
export const pick = <T extends { id: string }>(entity: T, fields: readonly string[]): Pick<T, 'id'> & Partial<T> =>
  Object.fromEntries(Object.entries(entity).filter(([name]) => fields.includes(name))) as Pick<T, 'id'> & Partial<T>;

const listClasses = new Map<Type, Type>();

/** Documents a 200 answer `{ total, limit, skip, items: Item[] }`. */
export function ApiListResponse(item: Type) {
  let listClass = listClasses.get(item);
  if (!listClass) {
    class ItemList {
      @ApiProperty({ description: 'How many there are in all; at most 10,000.', type: 'integer' })
      total!: number;
      @ApiPropertyOptional({ description: 'True when there are more than `total` says.' })
      total_capped?: boolean;
      @ApiProperty({ type: 'integer', description: 'As it was asked, or 50.' })
      limit!: number;
      @ApiProperty({ type: 'integer', description: 'As it was asked, or 0.' })
      skip!: number;
      @ApiPropertyOptional({ description: '`after` of the page that follows; absent on the last one.' })
      next?: string;
      @ApiProperty({ type: [item], description: 'At most `limit` of them.' })
      items!: unknown[];
    }
    Object.defineProperty(ItemList, 'name', { value: `${item.name}List` });
    listClass = ItemList;
    listClasses.set(item, listClass);
  }
  return applyDecorators(ApiOkResponse({ type: listClass }));
}
