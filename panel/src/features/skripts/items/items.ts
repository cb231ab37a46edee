import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import type { components } from '@trawl/client';
import { api, unwrap } from '../../../api/client.js';

export type Item = components['schemas']['Item'];
export type ItemChange = components['schemas']['Change'];

/** Runs that end change items; the live socket sends no updates of them. */
const REFRESH_MS = 10_000;
/** Number of changes that the line of an item has at most. */
const LINE_CHANGES = 1_000;
/** The filter of keys takes at most this many characters. */
const MAX_KEY_CHARS = 500;

interface ItemsQuery {
  limit: number;
  skip: number;
  gone?: boolean;
  key?: string;
}

const itemsQuery = (skriptId: string, query: ItemsQuery) =>
  queryOptions({
    queryKey: ['items', skriptId, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/skripts/{skript_id}/items', { params: { path: { skript_id: skriptId }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useItems = (skriptId: string, query: ItemsQuery) =>
  useQuery(itemsQuery(skriptId, { ...query, key: query.key?.slice(0, MAX_KEY_CHARS) }));

interface HistoryQuery {
  limit: number;
  skip: number;
  field?: string;
}

const historyQuery = (skriptId: string, itemId: string, query: HistoryQuery | null) =>
  queryOptions({
    queryKey: ['items', skriptId, 'history', itemId, query],
    queryFn: query
      ? ({ signal }) =>
          unwrap(
            api.GET('/joint-api/skripts/{skript_id}/items/{key}/history', {
              params: { path: { skript_id: skriptId, key: itemId }, query },
              signal,
            }),
          )
      : skipToken,
    placeholderData: keepPreviousData,
  });

/** The changes of an item, the newest first. */
export const useItemHistory = (skriptId: string, itemId: string, query: HistoryQuery) =>
  useQuery(historyQuery(skriptId, itemId, query));

/** The changes of one field of an item, for its line. Does nothing without a field. */
export const useFieldHistory = (skriptId: string, itemId: string, field: string | null) =>
  useQuery(historyQuery(skriptId, itemId, field === null ? null : { limit: LINE_CHANGES, skip: 0, field }));

const medianQuery = (skriptId: string, field: string | null) =>
  queryOptions({
    queryKey: ['items', skriptId, 'median', field],
    queryFn:
      field === null
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.GET('/joint-api/skripts/{skript_id}/items/median', {
                params: { path: { skript_id: skriptId }, query: { field } },
                signal,
              }),
            ),
  });

/** The median of a field in each run. Does nothing without a field. */
export const useItemsMedian = (skriptId: string, field: string | null) => useQuery(medianQuery(skriptId, field));
