import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { countText } from '@trawl/contracts';
import { api, unwrap } from '../../api/client.js';
import type { PoolProxy, ProxyPool, ProxyPoolBody, ProxyTags } from '../../api/entities.js';
import { QUERY_KEYS } from '../../api/query-keys.js';
import { useChange } from '../../components/feedback/use-change.js';

/** Runs report their use of proxies about once a second. */
const REFRESH_MS = 10_000;

interface ListQuery {
  limit: number;
  skip: number;
  sort: string;
}

const pathOf = (id: string) => ({ params: { path: { proxyPool_id: id } } });
const pathOfProxy = (poolId: string, id: string) => ({ params: { path: { proxyPool_id: poolId, proxy_id: id } } });

export const useProxyPools = (query: ListQuery & { name_contains?: string }) =>
  useQuery({
    queryKey: [...QUERY_KEYS.proxyPools, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/proxy-pools/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useProxyPool = (id: string) =>
  useQuery({
    queryKey: [...QUERY_KEYS.proxyPools, 'one', id],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/proxy-pools/{proxyPool_id}', { ...pathOf(id), signal })),
    refetchInterval: REFRESH_MS,
  });

export const useProxies = (poolId: string, query: ListQuery) =>
  useQuery({
    queryKey: [...QUERY_KEYS.proxyPools, 'proxies', poolId, query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/joint-api/proxy-pools/{proxyPool_id}/proxies/list', {
          params: { path: { proxyPool_id: poolId }, query },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** Creates a pool with its first proxies, or nothing if a line is wrong. */
export const useCreatePool = () =>
  useChange({
    send: (body: ProxyPoolBody) => unwrap(api.POST('/joint-api/proxy-pools/addnew', { body })),
    reload: [QUERY_KEYS.proxyPools],
    done: ({ name }) => `The pool ${name} is ready. Choose it in the settings of a skript.`,
  });

export const useUpdatePool = () =>
  useChange({
    send: ({ id, ...body }: Omit<ProxyPoolBody, 'lines'> & { id: string }) =>
      unwrap(api.PUT('/joint-api/proxy-pools/{proxyPool_id}', { ...pathOf(id), body })),
    reload: [QUERY_KEYS.proxyPools],
    done: ({ name }) => `The pool ${name} is saved.`,
  });

export const useDeletePool = () =>
  useChange({
    send: ({ id }: ProxyPool) => unwrap(api.DELETE('/joint-api/proxy-pools/{proxyPool_id}', pathOf(id))),
    reload: [QUERY_KEYS.proxyPools],
    done: (_, { name }) => `The pool ${name} is deleted.`,
    failed: 'The pool could not be deleted',
  });

export const useAddProxies = () =>
  useChange({
    send: ({ pool: { id }, lines }: { pool: ProxyPool; lines: string }) =>
      unwrap(api.POST('/joint-api/proxy-pools/{proxyPool_id}/proxies/addnew', { ...pathOf(id), body: { lines } })),
    reload: [QUERY_KEYS.proxyPools],
    done: ({ added, known }, { pool: { name } }) =>
      `${countText(added, 'proxy', 'proxies')} added to ${name}.${known > 0 ? ` It already had ${countText(known, 'proxy', 'proxies')}, which now have the tags of the list.` : ''}`,
  });

export const useTagProxy = () =>
  useChange({
    send: ({ poolId, id, ...body }: ProxyTags & { poolId: string; id: string }) =>
      unwrap(api.PUT('/joint-api/proxy-pools/{proxyPool_id}/proxies/{proxy_id}', { ...pathOfProxy(poolId, id), body })),
    reload: [QUERY_KEYS.proxyPools],
    done: ({ address }) => `The tags of ${address} are saved.`,
  });

export const useRemoveProxy = () =>
  useChange({
    send: ({ poolId, proxy }: { poolId: string; proxy: PoolProxy }) =>
      unwrap(api.DELETE('/joint-api/proxy-pools/{proxyPool_id}/proxies/{proxy_id}', pathOfProxy(poolId, proxy.id))),
    reload: [QUERY_KEYS.proxyPools],
    done: (_, { proxy: { address } }) => `${address} is removed.`,
    failed: 'The proxy could not be removed',
  });
