import { Alert, Button, FileInput, Group, Modal, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../../../api/api-error.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useUploadSkript } from '../api/upload-skript.js';
import { ARCHIVE_ENDINGS } from '../dropped/unpack.js';

type Changed = { added: number; changed: number; removed?: number };

/** Formats the counts that are not zero, such as `2 added, 1 changed`. */
const changeWords = (what: string, { added, changed, removed = 0 }: Changed): string[] => {
  const words = [
    [added, 'added'],
    [changed, 'changed'],
    [removed, 'removed'],
  ].flatMap(([count, word]) => (count ? [`${count} ${word}`] : []));
  return words.length === 0 ? [] : [`${what}: ${words.join(', ')}.`];
};

/** Returns the title of the skript that an upload found in its way; null for all other errors. */
function takenTitle(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.code !== 'title_taken') return null;
  return (error.details as { title?: string } | undefined)?.title ?? 'a skript of this title';
}

interface UploadModalProps {
  /** The archive to begin with, if the user dropped one. */
  dropped: File | null;
  onClose: () => void;
  editorHref: (skriptId: string) => string;
}

/** Uploads a skript as an archive, and shows what the upload changed. */
export function UploadModal({ dropped, onClose, editorHref }: UploadModalProps) {
  const upload = useUploadSkript();
  const [archive, setArchive] = useState(dropped);
  const [wasTried, setTried] = useState(false);
  // The title of the user's own skript that the upload would overwrite.
  const taken = takenTitle(upload.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (archive) upload.mutate({ archive, overwrite: taken !== null });
  };
  const done = upload.data;
  return (
    <Modal opened onClose={onClose} size="lg" title="Upload a skript" closeButtonProps={{ 'aria-label': 'Close' }}>
      {done ? (
        <>
          <Alert
            role="status"
            color={done.overwritten ? 'yellow' : 'sea'}
            variant="light"
            title={`${inReadingOrder(done.skript.title)} was ${done.overwritten ? 'overwritten' : 'uploaded'}`}
          >
            {[
              ...changeWords('Files', done.files),
              ...changeWords('Inputs', done.inputs),
              ...changeWords('Input secrets', done.input_secrets),
            ].join(' ') || 'Its files and inputs did not change.'}
            {done.skipped.length > 0 && (
              <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
                Not stored: {done.skipped.join(', ')}
              </Text>
            )}
            {done.ignored_fields.length > 0 && (
              <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
                Unknown fields of manifest.json, ignored: {done.ignored_fields.join(', ')}
              </Text>
            )}
          </Alert>
          <Group justify="flex-end" mt="lg">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button component={Link} to={editorHref(done.skript.id)}>
              Open the editor
            </Button>
          </Group>
        </>
      ) : (
        <form onSubmit={submit}>
          <Text size="sm" mb="md">
            An archive with <code>manifest.json</code>, <code>main.js</code> and the other files of the skript. If you
            have a skript with the same title, Trawl asks before the upload overwrites it.
          </Text>
          <FileInput
            label="Archive (zip or tar.gz)"
            placeholder="Choose a file"
            accept={ARCHIVE_ENDINGS}
            leftSection={<IconUpload size={16} aria-hidden />}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear' }}
            value={archive}
            onChange={file => {
              upload.reset();
              setArchive(file);
            }}
            error={wasTried && !archive ? 'Choose an archive to upload' : undefined}
            data-autofocus
          />
          {taken !== null && (
            <Alert
              role="alert"
              color="yellow"
              variant="light"
              mt="md"
              title={`You already have ${inReadingOrder(taken)}`}
            >
              The upload replaces its settings, files and inputs, and removes files that the archive lacks. Versions and
              input secrets stay.
            </Alert>
          )}
          <ModalActions
            request={taken === null ? upload : { error: null, isPending: upload.isPending }}
            failure="The upload failed"
            onCancel={onClose}
            type="submit"
            className={taken === null ? undefined : 'danger-button'}
          >
            {taken === null ? 'Upload' : 'Overwrite'}
          </ModalActions>
        </form>
      )}
    </Modal>
  );
}
