import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.js';
import type { PoliteDomain, PoliteSettings } from '../../api/entities.js';
import { useChange } from '../../components/feedback/use-change.js';

const POLITE_DOMAINS_KEY = ['polite-domains'];
/** Runs use and close domains at any time. */
const REFRESH_MS = 10_000;

interface PoliteDomainsQuery {
  limit: number;
  skip: number;
  sort: string;
  domain_contains?: string;
  show?: 'set' | 'closed';
}

const pathOf = (domain: string) => ({ params: { path: { domain } } });

export const usePoliteDomains = (query: PoliteDomainsQuery) =>
  useQuery({
    queryKey: [...POLITE_DOMAINS_KEY, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/polite-domains/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const usePoliteDomain = (domain: string) =>
  useQuery({
    queryKey: [...POLITE_DOMAINS_KEY, 'one', domain],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/polite-domains/{domain}', { ...pathOf(domain), signal })),
  });

export const useSetPoliteDomain = () =>
  useChange({
    send: ({ domain, ...body }: PoliteSettings & { domain: string }) =>
      unwrap(api.PUT('/joint-api/polite-domains/{domain}', { ...pathOf(domain), body })),
    reload: [POLITE_DOMAINS_KEY],
    done: ({ domain }) => `The budget of ${nameOf(domain)} is saved. Live runs keep to it within seconds.`,
  });

export const useReopenPoliteDomain = () =>
  useChange({
    send: ({ domain }: PoliteDomain) => unwrap(api.POST('/joint-api/polite-domains/{domain}/reopen', pathOf(domain))),
    reload: [POLITE_DOMAINS_KEY],
    done: (_, { domain }) => `${domain} is open. Runs send requests to it within 10 seconds.`,
    failed: 'The domain was not opened',
  });

export const useResetPoliteDomain = () =>
  useChange({
    send: ({ domain }: PoliteDomain) => unwrap(api.DELETE('/joint-api/polite-domains/{domain}', pathOf(domain))),
    reload: [POLITE_DOMAINS_KEY],
    done: (_, { domain }) => `${nameOf(domain)} ${domain === '*' ? 'have' : 'has'} the default budget again.`,
    failed: 'The budget could not be reset',
  });

/** A domain as people call it. */
export const nameOf = (domain: string): string => (domain === '*' ? 'all domains' : domain);
