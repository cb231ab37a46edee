import { useSearchParams } from 'react-router';

export const PAGE_SIZES = [10, 25, 50, 100] as const;
const DEFAULT_PAGE_SIZE = 25;
/** The API goes no further by `skip`. */
const MAX_SKIP = 10_000;

export interface ListParams {
  page: number;
  pageSize: number;
  /** As the API takes it: `-created_at`. */
  sort: string;
  /** Further texts, such as a search. */
  get: (name: string) => string;
  /** Changes texts of the address; everything but `page` goes back to the first page. */
  set: (changes: Record<string, string | null>) => void;
  query: { limit: number; skip: number; sort: string };
}

/** Paging, sorting and search of a list, kept in the address so that a list can be shared and gone back to. */
export function useListParams(defaultSort: string): ListParams {
  const [params, setParams] = useSearchParams();
  const requested = Number(params.get('size'));
  const pageSize = (PAGE_SIZES as readonly number[]).includes(requested) ? requested : DEFAULT_PAGE_SIZE;
  const page = Math.min(Math.max(1, Math.trunc(Number(params.get('page'))) || 1), MAX_SKIP / pageSize + 1);
  const sort = params.get('sort') ?? defaultSort;
  return {
    page,
    pageSize,
    sort,
    get: name => params.get(name) ?? '',
    set: changes =>
      setParams(
        current => {
          const next = new URLSearchParams(current);
          if (!('page' in changes)) next.delete('page');
          for (const [name, value] of Object.entries(changes)) {
            if (value === null || value === '') next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: true },
      ),
    query: { limit: pageSize, skip: (page - 1) * pageSize, sort },
  };
}

/** How many pages can be gone to. */
export const pageCount = (total: number, pageSize: number): number =>
  Math.max(1, Math.min(Math.ceil(total / pageSize), MAX_SKIP / pageSize + 1));

/** The next `sort` when a column's heading is pressed: ascending, then descending. */
export const nextSort = (sort: string, column: string): string => (sort === column ? `-${column}` : column);
