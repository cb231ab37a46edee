import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { notifyError, notifySuccess } from '../../../components/feedback/notify.js';

export const usePurgeSkripts = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST('/joint-api/skripts/purge', { body: { confirm: true } })),
    onSuccess: ({ deleted, kept }) => {
      const count = deleted.skripts ?? 0;
      const titles = kept.map(({ title }) => title).join(', ');
      notifySuccess(
        `${count === 1 ? 'One skript is' : `${count} skripts are`} deleted.${
          titles && ` These are running, so Trawl kept them: ${titles}. Stop their runs, then delete them.`
        }`,
      );
      return queryClient.invalidateQueries();
    },
    onError: error => notifyError('The skripts could not be deleted', error),
  });
};
