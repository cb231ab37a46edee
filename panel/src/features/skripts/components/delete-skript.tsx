import type { Skript } from '../../../api/entities.js';
import { confirmDelete } from '../../../components/confirm-delete.js';

/** Asks first, and says what goes. */
export function askToDeleteSkript({ title, files }: Skript, onConfirm: () => void): void {
  confirmDelete({
    title: `Delete ${title}?`,
    confirmLabel: 'Delete the skript',
    onConfirm,
    children: (
      <>
        {files.length === 1 ? 'Its one file' : `Its ${files.length} files`}, its versions, inputs, input secrets and
        schedules go with it, for good. Past executions and what they stored in databases stay.
      </>
    ),
  });
}
