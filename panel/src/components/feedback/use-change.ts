import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyError, notifySuccess } from './notify.js';

interface ChangeOptions<Sent, Answer> {
  send: (sent: Sent) => Promise<Answer>;
  /** Keys of the queries that the change affects; `[]` is the beginning of all. They are loaded again, also after a failure. */
  reload: QueryKey[];
  /** Message after success; null for none. */
  done?: (answer: Answer, sent: Sent) => string | null;
  /** Title of the message after a failure. Leave it out if a form shows the error itself. */
  failed?: string;
}

/**
 * A request that changes data: it tells the user how it ended, and reloads the lists that show the data. It is pending
 * until they are loaded. A failure shows at once: while Trawl is unreachable, loading would fail only after several tries.
 */
export function useChange<Sent = void, Answer = unknown>({ send, reload, done, failed }: ChangeOptions<Sent, Answer>) {
  const queryClient = useQueryClient();
  const load = () => Promise.all(reload.map(queryKey => queryClient.invalidateQueries({ queryKey })));
  return useMutation<Answer, Error, Sent>({
    mutationFn: send,
    onSuccess: (answer, sent) => {
      const message = done?.(answer, sent);
      if (message) notifySuccess(message);
      return load();
    },
    onError: error => {
      if (failed) notifyError(failed, error);
      void load();
    },
  });
}
