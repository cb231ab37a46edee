import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { notifyError, notifySuccess } from '../components/feedback/notify.js';

interface After<Data> {
  /** What to load again: the queries whose keys begin like this; `all` for everything. */
  refresh: QueryKey | 'all';
  /** Loads it again after a failure, too. */
  refreshesAlways?: boolean;
  /** What to tell the user after success. */
  done?: string | ((data: Data) => string);
  /** Title of the message about a failure. Without it, the caller shows the failure. */
  failed?: string;
  /** True if the request or the answer contains a secret, which must not stay in the cache. */
  isSecret?: boolean;
}

/** A call that changes something, and what the panel does after it. It is pending until the data are loaded again. */
export function useChange<Data, Variables = void>(
  call: (variables: Variables) => Promise<Data>,
  { refresh, refreshesAlways = false, done, failed, isSecret = false }: After<Data>,
) {
  const queryClient = useQueryClient();
  const load = () => queryClient.invalidateQueries(refresh === 'all' ? {} : { queryKey: refresh });
  return useMutation({
    mutationFn: call,
    ...(isSecret ? { gcTime: 0 } : {}),
    onSuccess: data => {
      if (done !== undefined) notifySuccess(typeof done === 'string' ? done : done(data));
      return load();
    },
    onError: error => {
      if (failed !== undefined) notifyError(failed, error);
      return refreshesAlways ? load() : undefined;
    },
  });
}
