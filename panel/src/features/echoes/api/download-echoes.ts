import { useMutation } from '@tanstack/react-query';
import { download } from '../../../api/client.js';
import { notifyError } from '../../../components/feedback/notify.js';

export const useDownloadEchoes = () =>
  useMutation({
    mutationFn: (executionId: string) =>
      download(`/joint-api/echoes/${encodeURIComponent(executionId)}/download`, `echoes-${executionId}.csv`),
    onError: error => notifyError('The echoes could not be downloaded', error),
  });
