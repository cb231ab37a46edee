import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ApiError } from '../../common/errors.js';
import { IntField, StringField } from '../fields.js';

export const MAX_LIMIT = 1_000;
export const MAX_SKIP = 10_000;
/** Maximum length of a cursor: enough for the longest texts by which a list can be sorted. */
export const MAX_CURSOR_CHARS = 4_000;
/** Totals are exact up to this number. Counting further would be slow. */
export const TOTAL_CAP = 10_000;

/** Query parameters of every list. */
export class ListQuery {
  @IntField({ description: 'Maximum number of items to return.', min: 1, max: MAX_LIMIT, default: 50, optional: true })
  limit = 50;

  @IntField({
    description: `Number of items to skip. Use \`after\` to go beyond ${MAX_SKIP}.`,
    min: 0,
    max: MAX_SKIP,
    default: 0,
    optional: true,
  })
  skip = 0;

  @StringField({
    description:
      'Cursor of the next page: the `next` value of the previous page, with the same sort and filters. New items do not shift the pages.',
    min: 1,
    max: MAX_CURSOR_CHARS,
    optional: true,
  })
  after?: string;

  @StringField({
    description: 'Fields to sort by, separated by commas. Put `-` before a field for descending order.',
    example: '-created_at,name',
    max: 200,
    optional: true,
  })
  sort?: string;
}

export class SelectQuery extends ListQuery {
  @StringField({
    description:
      'Fields to return, separated by commas, or fields to omit, each with `-` before it. `id` is always returned.',
    example: 'title,category',
    max: 500,
    optional: true,
  })
  select?: string;
}

/** A page of a list without its items. */
export interface ListHead {
  total: number;
  total_capped?: true;
  limit: number;
  skip: number;
  /** Cursor of the next page. Absent on the last page. */
  next?: string;
}

export interface List<T> extends ListHead {
  items: T[];
}

/**
 * Builds the response with a page of a list, without its items.
 * @param counted total number of items, counted only up to `TOTAL_CAP + 1`.
 */
export function headOf(query: Pick<ListQuery, 'limit' | 'skip'>, counted: number, next?: string): ListHead {
  const capped = counted > TOTAL_CAP;
  return {
    total: capped ? TOTAL_CAP : counted,
    ...(capped ? { total_capped: true as const } : {}),
    limit: query.limit,
    skip: query.skip,
    ...(next === undefined ? {} : { next }),
  };
}

/** Returns the response with a page of a list as JSON text. `items` are JSON texts, separated by commas. */
export const listText = (head: ListHead, items: string): string =>
  `${JSON.stringify(head).slice(0, -1)},"items":[${items}]}`;

/** Builds the response with a page of a list. */
export const toList = <T>(
  query: Pick<ListQuery, 'limit' | 'skip'>,
  counted: number,
  items: T[],
  next?: string,
): List<T> => ({ ...headOf(query, counted, next), items });

export type SortOrder = [field: string, direction: 'ASC' | 'DESC'][];

/**
 * Parses a text such as `-created_at,name` into pairs of field and direction. Adds `id` as the last field, so that the
 * order is unique and pages never overlap.
 * @throws {ApiError} 400 naming a field that is not in `sortable`.
 */
export function parseSort(sort: string | undefined, sortable: readonly string[], byDefault = '-created_at'): SortOrder {
  const order: SortOrder = (sort || byDefault).split(',').map(part => {
    const field = part.trim().replace(/^[-+]/, '');
    if (!sortable.includes(field)) {
      throw new ApiError('validation_failed', `Cannot sort by ${field}. Sortable fields: ${sortable.join(', ')}.`, [
        { field: 'sort', message: `unknown field ${field}` },
      ]);
    }
    return [field, part.trim().startsWith('-') ? 'DESC' : 'ASC'];
  });
  if (!order.some(([field]) => field === 'id')) order.push(['id', order[0]?.[1] ?? 'DESC']);
  return order;
}

/**
 * Returns the `fields` that `select` chooses.
 * @throws {ApiError} 400 for an unknown field, or a mix of fields to return and fields to omit.
 */
export function parseSelect(select: string | undefined, fields: readonly string[]): readonly string[] {
  if (!select) return fields;
  const parts = select.split(',').map(part => part.trim());
  const named = parts.map(part => part.replace(/^-/, ''));
  const unknown = named.find(name => !fields.includes(name));
  const excluding = parts.filter(part => part.startsWith('-')).length;
  if (unknown !== undefined || (excluding > 0 && excluding < parts.length)) {
    const message = unknown === undefined ? 'mixes fields to return with fields to omit' : `unknown field ${unknown}`;
    throw new ApiError('validation_failed', `select: ${message}. Fields: ${fields.join(', ')}.`, [
      { field: 'select', message },
    ]);
  }
  return fields.filter(name => name === 'id' || named.includes(name) !== excluding > 0);
}

/** Returns the entity with only the given fields. They come from `parseSelect` and always include the id. */
export const pick = <T extends { id: string }>(entity: T, fields: readonly string[]): Pick<T, 'id'> & Partial<T> =>
  Object.fromEntries(Object.entries(entity).filter(([name]) => fields.includes(name))) as Pick<T, 'id'> & Partial<T>;

const listClasses = new Map<Type, Type>();

/** Key of the fields by which a route's list can be sorted, for its documentation. */
export const SORTABLE_FIELDS = 'trawl:sortable-fields';

/** Documents the fields of every list, beside its `items`. */
export class PageDto {
  @ApiProperty({ description: 'Total number of matching items, counted up to 10,000.', type: 'integer' })
  total!: number;
  @ApiPropertyOptional({
    description: '`true` if counting stopped at a limit: then there are more items than `total` says.',
  })
  total_capped?: boolean;
  @ApiProperty({ type: 'integer', description: 'The `limit` of the request. Default: 50.' })
  limit!: number;
  @ApiProperty({ type: 'integer', description: 'The `skip` of the request. Default: 0.' })
  skip!: number;
  @ApiPropertyOptional({ description: 'Cursor of the next page: send it as `after`. Absent on the last page.' })
  next?: string;
}

/**
 * Documents a 200 response `{ total, limit, skip, items: Item[] }`.
 * @param sortable the fields that the service gives to `parseSort`.
 */
export function ApiListResponse(item: Type, sortable: readonly string[] = []) {
  let listClass = listClasses.get(item);
  if (!listClass) {
    class ItemList extends PageDto {
      @ApiProperty({ type: [item], description: 'The items of this page, at most `limit`.' })
      items!: unknown[];
    }
    Object.defineProperty(ItemList, 'name', { value: `${item.name}List` });
    listClass = ItemList;
    listClasses.set(item, listClass);
  }
  return applyDecorators(
    ApiExtraModels(PageDto),
    ApiOkResponse({ type: listClass }),
    SetMetadata(SORTABLE_FIELDS, sortable),
  );
}
