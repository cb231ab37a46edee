import { Modal, Text } from '@mantine/core';
import type { Skript } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { notifySuccess } from '../../../components/feedback/notify.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import type { Drafts } from '../files/use-drafts.js';
import { planFiles } from './plan-files.js';
import type { Dropped } from './read-dropped.js';
import { useSavePlannedFiles } from './save-planned-file.js';

interface AddFilesModalProps {
  skript: Skript;
  dropped: Dropped;
  drafts: Drafts;
  onClose: () => void;
}

const filesOf = (count: number): string => (count === 1 ? 'one file' : `${count} files`);

/** Shows what dropped files change in a skript, and adds them after a confirmation. */
export function AddFilesModal({ skript, dropped, drafts, onClose }: AddFilesModalProps) {
  const { files, elsewhere } = planFiles(dropped, skript);
  const replaced = files.filter(({ replacedId }) => replacedId !== null);
  const save = useSavePlannedFiles(skript.id, files, ({ replacedId }) => replacedId && drafts.forget(replacedId));
  const [added, changed] = [files.length - replaced.length, replaced.length];
  const words = [added > 0 && `Add ${filesOf(added)}`, changed > 0 && `Replace ${filesOf(changed)}`].filter(Boolean);
  const label = words.join(', ').replace(', R', ', r');
  const left = [...dropped.skipped, ...elsewhere];
  const start = () =>
    save.mutate(undefined, {
      onSuccess: () => {
        notifySuccess(files.length === 1 ? 'The file is saved.' : `All ${files.length} files are saved.`);
        onClose();
      },
    });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`Add files to ${inReadingOrder(skript.title)}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ul className="planned">
        {files.map(({ name, replacedId }) => (
          <li key={name} data-replaces={replacedId !== null || undefined}>
            <span className="mono">{inReadingOrder(name)}</span>
            <span>
              {replacedId === null
                ? 'new'
                : drafts.drafted.has(replacedId)
                  ? 'replaces the file and your unsaved changes'
                  : 'replaces the file'}
            </span>
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <Text size="sm" mt="sm" style={{ overflowWrap: 'anywhere' }}>
          Not added: {left.join(', ')}.
          {elsewhere.length > 0 && ' Inputs and input secrets have their own tabs; manifest.json is under Settings.'}
        </Text>
      )}
      {save.isPending && (
        <Text size="sm" mt="sm" role="status">
          Saved {save.savedCount} of {files.length}
        </Text>
      )}
      <ModalActions
        request={save}
        failure={`${save.savedCount} of ${files.length} files were saved`}
        onCancel={onClose}
        onClick={start}
        disabled={files.length === 0}
        className={changed > 0 ? 'danger-button' : undefined}
      >
        {save.isError ? 'Continue' : label || 'Nothing to add'}
      </ModalActions>
    </Modal>
  );
}
