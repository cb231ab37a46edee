import { Alert, Button, FileInput, Group, Modal, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import { messageOf } from '../../../api/api-error.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { useUploadSkript } from '../api/upload-skript.js';

type Changed = { added: number; changed: number; removed?: number };

/** `2 added, 1 changed`, or nothing. */
const changeWords = (what: string, { added, changed, removed = 0 }: Changed): string[] => {
  const words = [
    [added, 'added'],
    [changed, 'changed'],
    [removed, 'removed'],
  ].flatMap(([count, word]) => (count ? [`${count} ${word}`] : []));
  return words.length === 0 ? [] : [`${what}: ${words.join(', ')}.`];
};

interface UploadModalProps {
  onClose: () => void;
  editorHref: (skriptId: string) => string;
}

/** A whole skript from one archive. What it overwrites is said before, and what became of it after. */
export function UploadModal({ onClose, editorHref }: UploadModalProps) {
  const upload = useUploadSkript();
  const [archive, setArchive] = useState<File | null>(null);
  const [wasTried, setTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (archive) upload.mutate(archive);
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
            title={done.overwritten ? `${done.skript.title} was overwritten` : `${done.skript.title} is here`}
          >
            {[
              ...changeWords('Files', done.files),
              ...changeWords('Inputs', done.inputs),
              ...changeWords('Input secrets', done.input_secrets),
            ].join(' ') || 'Its files and inputs were the same already.'}
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
            A zip with <code>manifest.json</code>, <code>main.js</code> and whatever else belongs to the skript. One of
            yours that has the same title is overwritten: its settings, files and inputs are then those of the archive.
          </Text>
          <FileInput
            label="Archive (zip)"
            placeholder="Choose a file"
            accept=".zip"
            leftSection={<IconUpload size={16} aria-hidden />}
            clearable
            clearButtonProps={{ 'aria-label': 'Choose none' }}
            value={archive}
            onChange={file => {
              upload.reset();
              setArchive(file);
            }}
            error={wasTried && !archive ? 'Choose the archive to upload' : undefined}
            data-autofocus
          />
          {upload.isError && (
            <Alert role="alert" color="red" variant="light" mt="md" title="Nothing was changed">
              {messageOf(upload.error)}
            </Alert>
          )}
          <Group justify="flex-end" mt="lg">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <SteadyButton type="submit" loading={upload.isPending}>
              Upload
            </SteadyButton>
          </Group>
        </form>
      )}
    </Modal>
  );
}
