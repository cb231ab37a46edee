import type { Version } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';
import { timeWords } from '../../../components/values/time-text.js';
import { versionText } from '../../../components/values/version-text.js';
import { useRestoreVersion } from './api/restore-version.js';

/** Restores versions of a skript after a confirmation. */
export function useRestore(skriptId: string, onRestored: () => void) {
  const restore = useRestoreVersion(skriptId);
  return {
    /** Hash of the version that is being restored. */
    restoring: restore.isPending ? restore.variables : null,
    ask: ({ number, hash, built_at: builtAt }: Version) =>
      confirmDelete({
        title: `Restore version ${versionText(number, hash)} of ${timeWords(builtAt)}?`,
        children:
          'The skript gets the files of that version. Files added since then are removed; inputs and settings do not change. To keep the current files as a version, bundle first.',
        confirmLabel: 'Restore version',
        onConfirm: () => restore.mutate(hash, { onSuccess: onRestored }),
      }),
  };
}
