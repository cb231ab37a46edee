import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import type { Preferences } from '../../../api/entities.js';
import { accountQuery } from '../../../api/requests/get-account.js';
import { notifyError } from '../../feedback/notify.js';

/** Sets some of the user's preferences, and shows them before the server has answered. */
export const useSetPreferences = () => {
  const queryClient = useQueryClient();
  const { queryKey } = accountQuery;
  const show = (changes: Partial<Preferences>) =>
    queryClient.setQueryData(
      queryKey,
      account => account && { ...account, preferences: { ...account.preferences, ...changes } },
    );
  return useMutation({
    mutationFn: (body: Partial<Preferences>) => unwrap(api.PUT('/joint-api/account/preferences', { body })),
    onMutate: show,
    onSuccess: show,
    onError: error => {
      notifyError('Your preferences could not be saved', error);
      void queryClient.invalidateQueries({ queryKey });
    },
  });
};
