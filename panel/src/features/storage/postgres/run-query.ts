import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, messageOf } from '../../../api/api-error.js';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { TABLES_KEY } from '../../../api/storage-keys.js';
import { notifyError } from '../../../components/feedback/notify.js';

interface Statement {
  sql: string;
  queryId: string;
  readOnly: boolean;
}

const RUNNING_KEY = ['postgres-query'];
/** How long to wait before a statement that Trawl did not know yet is cancelled again. */
const CANCEL_AGAIN_MS = 250;

export const useRunQuery = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationKey: RUNNING_KEY,
    mutationFn: ({ sql, queryId, readOnly }: Statement) =>
      unwrap(api.POST('/joint-api/postgres/query', { body: { sql, query_id: queryId, read_only: readOnly } })),
    onSuccess: (_, { readOnly }) => {
      if (readOnly) return;
      void queryClient.invalidateQueries({ queryKey: TABLES_KEY });
      void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.account });
    },
  });
};

/** Cancels a statement. The call may overtake that of the statement, so it is repeated while the statement runs. */
export const useCancelQuery = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (queryId: string) => {
      const params = { path: { query_id: queryId } };
      for (;;) {
        const answer = await unwrap(api.POST('/joint-api/postgres/query/{query_id}/cancel', { params }));
        if (answer.cancelled || queryClient.isMutating({ mutationKey: RUNNING_KEY }) === 0) return answer;
        await new Promise(resolve => setTimeout(resolve, CANCEL_AGAIN_MS));
      }
    },
    onError: error => notifyError('The statement could not be cancelled', error),
  });
};

/** Code of PostgreSQL for a statement that would change data in a read-only transaction. */
const READ_ONLY_TRANSACTION = '25006';

/** Returns why a statement failed. */
export function failureText(error: unknown, { readOnly }: { readOnly: boolean }): string {
  const { sqlstate } = ((error instanceof ApiError ? error.details : null) as { sqlstate?: unknown }) ?? {};
  return readOnly && sqlstate === READ_ONLY_TRANSACTION
    ? 'The statement changes data or tables, which the console does not allow now. Switch on “Allow changes” below the statement, then run it again.'
    : messageOf(error);
}

/** Returns the place of an error in the statement, or null. */
export function positionOf(error: unknown): number | null {
  if (!(error instanceof ApiError)) return null;
  const position = (error.details as { position?: unknown } | null | undefined)?.position;
  return typeof position === 'number' ? position : null;
}
