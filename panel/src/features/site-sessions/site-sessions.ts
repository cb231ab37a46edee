import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, download, unwrap } from '../../api/client.js';
import type { SiteSession, SiteSessionImport } from '../../api/entities.js';
import { useChange } from '../../components/feedback/use-change.js';

const SITE_SESSIONS_KEY = ['site-sessions'];
/** The list shows which runs use a session. Others may begin or end at any time. */
const REFRESH_MS = 10_000;

interface SiteSessionsQuery {
  limit: number;
  skip: number;
  sort: string;
  name_contains?: string;
}

export const useSiteSessions = (query: SiteSessionsQuery) =>
  useQuery({
    queryKey: [...SITE_SESSIONS_KEY, query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/sessions/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useImportSiteSession = () =>
  useChange({
    send: (body: SiteSessionImport) => unwrap(api.POST('/joint-api/sessions/import', { body })),
    reload: [SITE_SESSIONS_KEY],
    done: ({ name }) => `The session ${name} has the imported login. Runs use it from now on.`,
  });

export const useExportSiteSession = () =>
  useChange({
    send: ({ id, name }: SiteSession) => download(`/joint-api/sessions/${id}/export`, `session-${name}.json`),
    reload: [],
    failed: 'The session was not exported',
  });

export const useDeleteSiteSession = () =>
  useChange({
    send: ({ id }: SiteSession) =>
      unwrap(api.DELETE('/joint-api/sessions/{siteSession_id}', { params: { path: { siteSession_id: id } } })),
    reload: [SITE_SESSIONS_KEY],
    done: (_, { name }) => `The session ${name} is deleted.`,
    failed: 'The session could not be deleted',
  });
