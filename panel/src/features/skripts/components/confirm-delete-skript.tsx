import type { ListedSkript } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/feedback/confirm-delete.js';

/** Asks for confirmation and lists what the deletion removes. */
export function confirmDeleteSkript({ title, files }: ListedSkript, onConfirm: () => void): void {
  confirmDelete({
    title: `Delete ${title}?`,
    confirmLabel: 'Delete skript',
    typed: title,
    onConfirm,
    children: (
      <>
        This permanently deletes the skript with its {files.length === 1 ? 'file' : `${files.length} files`}, versions,
        inputs, input secrets and schedules. Past runs and the data they stored remain.
      </>
    ),
  });
}
