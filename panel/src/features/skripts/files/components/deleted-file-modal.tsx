import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { SkriptFile } from '../../../../api/entities.js';
import { MessageText } from '../../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../../components/focusable-button.js';
import { inReadingOrder } from '../../../../components/values/in-reading-order.js';
import { useCreateSkriptFile } from '../api/create-skript-file.js';
import type { Draft } from '../use-drafts.js';

interface DeletedFileModalProps {
  skriptId: string;
  /** The unsaved changes of the deleted file. */
  draft: Draft;
  /** Called with the new file. */
  onSaved: (file: SkriptFile) => void;
  onDiscard: () => void;
  onLater: () => void;
}

/** Saves the text of a file that was deleted elsewhere as a new file, or discards it. */
export function DeletedFileModal({ skriptId, draft, onSaved, onDiscard, onLater }: DeletedFileModalProps) {
  const create = useCreateSkriptFile(skriptId);
  const [name, setName] = useState(draft.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ name: name.trim(), content: draft.content }, { onSuccess: onSaved });
  };
  return (
    <Modal
      opened
      onClose={onLater}
      size="lg"
      title={inReadingOrder(`${draft.name} was deleted elsewhere`)}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Decide later' }}
    >
      <form onSubmit={submit}>
        <Text size="sm" mb="md">
          Somebody deleted this file while you had unsaved changes in it, or you did in another tab. Save your text as a
          new file, or discard it.
        </Text>
        <TextInput
          label="File name"
          value={name}
          onChange={event => setName(event.currentTarget.value)}
          error={create.isError ? <MessageText of={create.error} /> : undefined}
          spellCheck={false}
          required
          data-autofocus
        />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onLater}>
            Decide later
          </Button>
          <Button className="danger-button" onClick={onDiscard}>
            Discard my changes
          </Button>
          <FocusableButton type="submit" loading={create.isPending}>
            Save as a new file
          </FocusableButton>
        </Group>
      </form>
    </Modal>
  );
}
