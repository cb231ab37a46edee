import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';
import { noticeDone, noticeFailed } from '../../../components/notices.js';

export const usePurgeSkripts = () => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => unwrap(api.POST('/joint-api/skripts/purge', { body: { confirm: true } })),
    onSuccess: ({ deleted, kept }) => {
      const count = deleted.skripts ?? 0;
      const titles = kept.map(({ title }) => title).join(', ');
      noticeDone(
        `${count === 1 ? 'One skript is' : `${count} skripts are`} deleted.${
          titles && ` Of these a run goes on, so they stay: ${titles}. Stop it and delete them then.`
        }`,
      );
      return queryClient.invalidateQueries();
    },
    onError: error => noticeFailed('The skripts could not be deleted', error),
  });
};
