import { useQueryClient } from '@tanstack/react-query';
import type { ExecutionUpdate } from '@trawl/contracts';
import { isLive } from '@trawl/contracts';
import { useEffect } from 'react';
import type { Execution, Listed } from '../api/entities.js';
import { QUERY_KEYS } from '../api/query-keys.js';
import { listWithUpdate, withUpdate } from './execution-updates.js';
import { liveSocket } from './live-socket.js';

const isList = (data: Execution | Listed<Execution>): data is Listed<Execution> => 'items' in data;

/** While the component is mounted, applies the updates from the live socket to all cached executions, and hears of notices. */
export function useLiveExecutions(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const socket = liveSocket();
    const refresh = () => {
      void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.executions });
      void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.dashboard });
    };
    const onExecution = (update: ExecutionUpdate) => {
      let isUnknown = false;
      queryClient.setQueriesData<Execution | Listed<Execution>>({ queryKey: QUERY_KEYS.executions }, data => {
        if (!data) return data;
        if (!isList(data)) {
          // Fetch the time of the start, which an update does not contain.
          isUnknown ||= data.id === update.id && data.started_at === null && !update.waiting_for;
          return withUpdate(data, update);
        }
        const updated = listWithUpdate(data, update);
        isUnknown ||= updated === null;
        return updated ?? data;
      });
      // An update does not contain all data of a new run, nor the output or error of an ended run, so fetch these.
      if (isUnknown || !isLive(update.action)) refresh();
    };
    const onNotices = () => {
      void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.account });
      // The verdict on the rows of a run comes after its end, and only the notice tells of it.
      refresh();
    };
    socket.on('execution', onExecution);
    socket.on('notices', onNotices);
    // Fetch after each connection, also the first: updates before it are lost.
    socket.on('connect', refresh);
    return () => {
      socket.off('execution', onExecution);
      socket.off('notices', onNotices);
      socket.off('connect', refresh);
    };
  }, [queryClient]);
}
