import { Checkbox, FileInput, Text, Textarea, TextInput } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { byteSize } from '@trawl/contracts';
import { type FormEvent, useState } from 'react';
import { fieldMessages } from '../../api/field-messages.js';
import { ModalActions } from '../../components/feedback/modal-actions.js';
import { FormModal } from '../../components/unsaved/form-modal.js';
import { useImportSiteSession } from './site-sessions.js';

const LABELS = { name: 'Name', origins: 'Sites', content: 'File', user_agent: 'User agent' };
/** The API refuses more characters. */
const MAX_FILE_BYTES = 1_000_000;

/** Returns an origin for each line. `https://` is optional, and a path is left out. */
const originsIn = (text: string): string[] =>
  text
    .split(/[\s,]+/)
    .filter(line => line !== '')
    .map(line => (/^https?:\/\//i.test(line) ? line : `https://${line}`))
    .map(line => (URL.canParse(line) ? new URL(line).origin : line));

function fileProblem(file: File | null): string | undefined {
  if (!file) return 'Choose the file with the cookies';
  if (file.size <= MAX_FILE_BYTES) return undefined;
  return `The file has ${byteSize(file.size)}; the limit is ${byteSize(MAX_FILE_BYTES)}. Export the cookies of this site only.`;
}

/** Imports a login from a file with the cookies of a browser, or from an exported session. */
export function ImportModal({ onClose }: { onClose: () => void }) {
  const request = useImportSiteSession();
  const [name, setName] = useState('');
  const [sites, setSites] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [isFromHere, setFromHere] = useState(false);
  const [wasTried, setTried] = useState(false);
  const refused = fieldMessages(request.error, LABELS);
  const problems = {
    name: name.trim() === '' ? 'Enter the name by which skripts use it' : undefined,
    origins: originsIn(sites).length === 0 ? 'Enter the site of the login' : undefined,
    content: fileProblem(file),
  };
  const errorOf = (field: keyof typeof problems) => (wasTried && problems[field]) || refused[field];

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!file || Object.values(problems).some(Boolean)) return;
    request.mutate(
      {
        name: name.trim(),
        origins: originsIn(sites),
        content: await file.text(),
        ...(isFromHere && { user_agent: navigator.userAgent }),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <FormModal
      title="Import a login"
      isDirty={name !== '' || sites !== '' || file !== null}
      kept={{ input: { name, sites }, restore: kept => [setName(kept.name), setSites(kept.sites)] }}
      onClose={onClose}
    >
      {close => (
        <form onSubmit={event => void submit(event)}>
          <Text size="sm" mb="md">
            Log in with your browser, then save its cookies with an extension that writes JSON or{' '}
            <code>cookies.txt</code>. Trawl stores them encrypted.
          </Text>
          <TextInput
            label="Name"
            description="Skripts use it as session('shop'). A session of this name gets the imported login."
            placeholder="shop"
            maxLength={100}
            spellCheck={false}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={errorOf('name')}
            data-autofocus
          />
          <Textarea
            mt="sm"
            label="Sites"
            description="One address a line. Trawl keeps the cookies of these sites, and leaves out all others."
            placeholder="https://www.shop.example"
            autosize
            minRows={1}
            maxRows={5}
            spellCheck={false}
            value={sites}
            onChange={event => setSites(event.currentTarget.value)}
            error={errorOf('origins')}
          />
          <FileInput
            mt="sm"
            label="File"
            description="JSON of a browser extension, a Playwright storage state, an exported session, or cookies.txt."
            placeholder="Choose a file"
            accept=".json,.txt"
            leftSection={<IconUpload size={16} aria-hidden />}
            clearable
            clearButtonProps={{ 'aria-label': 'Clear' }}
            value={file}
            onChange={setFile}
            error={errorOf('content')}
          />
          <Checkbox
            mt="md"
            label="The login is of this browser"
            description="Runs then send its user agent, which some sites compare with the login."
            checked={isFromHere}
            onChange={event => setFromHere(event.currentTarget.checked)}
            error={refused.user_agent}
          />
          <ModalActions
            request={request}
            failure="The login was not imported"
            labels={LABELS}
            onCancel={close}
            type="submit"
          >
            Import login
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
