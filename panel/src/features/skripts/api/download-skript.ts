import { useMutation } from '@tanstack/react-query';
import { download } from '../../../api/client.js';
import { noticeFailed } from '../../../components/notices.js';

/** A title may hold what a file's name may not. */
export const archiveName = (title: string): string =>
  `${
    title
      .normalize('NFKC')
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[-.]+|-+$/g, '')
      .toLowerCase() || 'skript'
  }.zip`;

export const useDownloadSkript = () =>
  useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) =>
      download(`/joint-api/skripts/${encodeURIComponent(id)}/download`, archiveName(title)),
    onError: error => noticeFailed('The skript could not be downloaded', error),
  });
