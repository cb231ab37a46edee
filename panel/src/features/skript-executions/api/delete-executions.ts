import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { useChange } from '../../../components/feedback/use-change.js';

/** Deletes runs that have ended. The API keeps live runs, and runs with a live retry. */
export const useDeleteExecutions = () =>
  useChange({
    send: (ids: string[]) => unwrap(api.POST('/joint-api/skript-execution/delete-many', { body: { ids } })),
    reload: [QUERY_KEYS.executions],
    done: ({ deleted }, ids) => deletedText(deleted.skript_executions ?? 0, ids.length),
    failed: 'The runs could not be deleted',
  });

function deletedText(deleted: number, chosen: number): string {
  const kept = chosen - deleted;
  return `${deleted} of ${chosen} runs deleted.${kept > 0 ? ` ${kept} could not be deleted, because they or their retries are live.` : ''}`;
}
