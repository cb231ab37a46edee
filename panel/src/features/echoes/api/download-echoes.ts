import { useMutation } from '@tanstack/react-query';
import { download } from '../../../api/client.js';
import { noticeFailed } from '../../../components/notices.js';

export const useDownloadEchoes = () =>
  useMutation({
    mutationFn: (executionId: string) =>
      download(`/joint-api/echoes/${encodeURIComponent(executionId)}/download`, `echoes-${executionId}.csv`),
    onError: error => noticeFailed('The echoes could not be downloaded', error),
  });
