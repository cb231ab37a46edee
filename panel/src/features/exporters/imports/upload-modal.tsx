import { Alert, Button, FileInput, Group, Modal, Progress, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { byteSize } from '@trawl/contracts';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Navigate } from 'react-router';
import type { Import } from '../../../api/entities.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useUnsavedWork } from '../../../components/unsaved/unsaved-work.js';
import { IMPORTS_KEY } from '../keys.js';
import { uploadFile } from './upload-file.js';

interface UploadModalProps {
  /** The file to begin with, if the user dropped one. */
  dropped?: File;
  onClose: () => void;
  importHref: (id: string) => string;
}

/** Uploads a file, shows how much is sent, and then opens its preview. */
export function UploadModal({ dropped, onClose, importHref }: UploadModalProps) {
  const queryClient = useQueryClient();
  const [file, setFile] = useState<File | null>(dropped ?? null);
  const [wasTried, setTried] = useState(false);
  const [share, setShare] = useState<number | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [uploaded, setUploaded] = useState<Import | null>(null);
  const upload = useRef<AbortController | null>(null);
  useUnsavedWork(share !== null && uploaded === null, true);
  useEffect(() => () => upload.current?.abort(), []);

  const problem = !file ? 'Choose a file to import' : file.size === 0 ? `${file.name} is empty` : undefined;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem !== undefined || !file || share !== null) return;
    const controller = new AbortController();
    upload.current = controller;
    setFailure(null);
    setShare(0);
    try {
      const done = await uploadFile(file, { onProgress: setShare, signal: controller.signal });
      void queryClient.invalidateQueries({ queryKey: IMPORTS_KEY });
      setUploaded(done);
    } catch (error) {
      if (!controller.signal.aborted) setFailure(error);
      setShare(null);
    }
  };
  const cancel = () => {
    if (share === null) onClose();
    else upload.current?.abort();
  };
  if (uploaded) return <Navigate to={importHref(uploaded.id)} />;
  const isBusy = share !== null;
  return (
    <Modal
      opened
      onClose={cancel}
      size="lg"
      title="Import a file"
      closeOnClickOutside={!isBusy}
      closeOnEscape={!isBusy}
      withCloseButton={!isBusy}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={event => void submit(event)}>
        <Text size="sm" mb="md">
          Choose CSV, an Excel workbook, Parquet, a JSON list, or NDJSON or Extended JSON with a document a line. Text
          may be compressed with gzip. You see what Trawl makes of the file before anything is imported.
        </Text>
        <FileInput
          label="File"
          placeholder="Choose a file"
          accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.xlsx,.parquet,.gz"
          leftSection={<IconUpload size={16} aria-hidden />}
          clearable={!isBusy}
          clearButtonProps={{ 'aria-label': 'Clear' }}
          disabled={isBusy}
          value={file}
          onChange={chosen => {
            setFile(chosen);
            setFailure(null);
          }}
          error={wasTried && problem}
          data-autofocus
        />
        {isBusy && file && (
          <div role="status">
            <Progress mt="md" value={share * 100} aria-label="Share of the file that is uploaded" />
            <Text size="xs" c="dimmed" mt={6} className="tabular">
              {share < 1 ? `${Math.floor(share * 100)} % of ${byteSize(file.size)}` : 'Uploaded. Trawl reads the file…'}
            </Text>
          </div>
        )}
        {failure !== null && (
          <Alert role="alert" color="red" variant="light" mt="md" title="The file was not uploaded">
            <MessageText of={failure} />
          </Alert>
        )}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={cancel}>
            {isBusy ? 'Cancel the upload' : 'Cancel'}
          </Button>
          <FocusableButton type="submit" loading={isBusy}>
            Upload
          </FocusableButton>
        </Group>
      </form>
    </Modal>
  );
}
