import { api, unwrap } from '../../../../api/client.js';
import { useChange } from '../../../../components/feedback/use-change.js';

export const useRestoreVersion = (skriptId: string) =>
  useChange({
    send: (hash: string) =>
      unwrap(
        api.POST('/joint-api/skripts/{skript_id}/versions/{hash}/restore', {
          params: { path: { skript_id: skriptId, hash } },
        }),
      ),
    done: ({ files: { added, changed, removed } }) =>
      `The version is restored. Files added: ${added}, changed: ${changed}, removed: ${removed}.`,
    // Reload everything, because restoring a version changes the files and their contents.
    reload: [[]],
    failed: 'The version could not be restored',
  });
