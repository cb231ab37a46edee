import { type UrlParams, useUrlParams } from './url-params.js';

export const PAGE_SIZES = [10, 25, 50, 100] as const;
const DEFAULT_PAGE_SIZE = 25;
/** The largest `skip` that the API accepts: the number of items before the requested page. */
const MAX_SKIP = 10_000;

export interface ListParams extends UrlParams {
  page: number;
  pageSize: number;
  /** Field to sort by in the API's format; `-` means descending, such as `-created_at`. */
  sort: string;
  /** Changes URL parameters. Unless `page` is among the changes, the list returns to the first page. */
  set: (changes: Record<string, string | null>) => void;
  query: { limit: number; skip: number; sort: string };
}

/**
 * Keeps the page, sorting and filters of a list in the URL, so that users can share the URL, and the list is the same
 * after the Back button.
 */
export function useListParams(defaultSort: string): ListParams {
  const params = useUrlParams();
  const requested = Number(params.get('size'));
  const pageSize = (PAGE_SIZES as readonly number[]).includes(requested) ? requested : DEFAULT_PAGE_SIZE;
  const page = Math.min(Math.max(1, Math.trunc(Number(params.get('page'))) || 1), MAX_SKIP / pageSize + 1);
  const sort = params.get('sort') || defaultSort;
  return {
    page,
    pageSize,
    sort,
    get: params.get,
    go: params.go,
    set: changes => params.set({ page: null, ...changes }),
    query: { limit: pageSize, skip: (page - 1) * pageSize, sort },
  };
}

/** Returns the number of pages of a list, at most as many as the API can return. */
export const pageCount = (total: number, pageSize: number): number =>
  Math.max(1, Math.min(Math.ceil(total / pageSize), MAX_SKIP / pageSize + 1));

/** Returns the new `sort` after a click on a column heading: the first click sorts ascending, the second descending. */
export const nextSort = (sort: string, column: string): string => (sort === column ? `-${column}` : column);
