import { Button, Group, Modal, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { Loading } from '../../../../components/feedback/loading.js';
import { lazyScreen } from '../../../../components/lazy-screen.js';
import type { Conflict } from '../use-drafts.js';
import type { ReadFiles } from '../use-read-files.js';

const CodeEditor = lazyScreen(() => import('./code-editor.js'));

interface ConflictModalProps {
  conflict: Conflict;
  /** Saves a text over the saved one; null gives up the own changes. */
  onResolve: (content: string | null) => void;
  onLater: () => void;
  /** Reads the other files of the skript. */
  readOthers: () => Promise<ReadFiles>;
}

/** Shows the saved text of a file and the user's own, and saves what the user makes of both. */
export function ConflictModal({ conflict: { saved, own }, onResolve, onLater, readOthers }: ConflictModalProps) {
  const [text, setText] = useState(own);
  return (
    <Modal
      opened
      onClose={onLater}
      size="80rem"
      title={`${saved.name} was changed elsewhere`}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Decide later' }}
    >
      <Text size="sm" mb="sm">
        Somebody saved this file after you opened it, or you did in another tab. Each difference shows the saved lines
        in red above yours. Choose for each, or edit the text here, then save it.
      </Text>
      <div className="conflict">
        <Suspense fallback={<Loading what="the editor" m="md" />}>
          <CodeEditor
            fileName={saved.name}
            value={text}
            saved={saved.content}
            onChange={setText}
            readOthers={readOthers}
            problems={[]}
            goTo={null}
          />
        </Suspense>
      </div>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onLater}>
          Decide later
        </Button>
        <Button className="danger-button" onClick={() => onResolve(null)}>
          Discard my changes
        </Button>
        <Button onClick={() => onResolve(text)}>Save this text</Button>
      </Group>
    </Modal>
  );
}
