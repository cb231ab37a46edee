import { useMutation } from '@tanstack/react-query';
import { download } from '../../../api/client.js';
import { notifyError } from '../../../components/feedback/notify.js';

/** Replaces the characters of a title that file names cannot contain. */
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
    onError: error => notifyError('The skript could not be downloaded', error),
  });
