import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Session } from '../../../api/entities.js';
import { useChange } from '../../../components/feedback/use-change.js';
import { endSession } from '../../../session/session-end.js';

const SESSIONS_KEY = ['sessions'];

interface SessionsQuery {
  limit: number;
  skip: number;
  sort: string;
}

const sessionsQuery = (query: SessionsQuery) =>
  queryOptions({
    queryKey: [...SESSIONS_KEY, query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/account/sessions/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const useSessions = (query: SessionsQuery) => useQuery(sessionsQuery(query));

export const useEndSession = () =>
  useChange({
    send: async ({ id, current }: Session) => {
      await unwrap(api.DELETE('/joint-api/account/sessions/{session_id}', { params: { path: { session_id: id } } }));
      if (current) endSession();
    },
    reload: [SESSIONS_KEY],
    done: () => 'The session is ended.',
    failed: 'The session could not be ended',
  });
