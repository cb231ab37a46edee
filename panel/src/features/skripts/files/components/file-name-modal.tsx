import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { messageOf } from '../../../../api/api-error.js';
import { MessageText } from '../../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../../components/focusable-button.js';
import { FormModal } from '../../../../components/unsaved/form-modal.js';

interface FileNameModalProps {
  title: string;
  confirmLabel: string;
  initialName: string;
  onClose: () => void;
  /** Saves the name. If it rejects, the modal shows the error. */
  onSubmit: (name: string) => Promise<void>;
}

export function FileNameModal({ title, confirmLabel, initialName, onClose, onSubmit }: FileNameModalProps) {
  const [name, setName] = useState(initialName);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(name.trim());
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <FormModal
      isDirty={name !== initialName}
      kept={{ input: name, restore: setName }}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {close => (
        <form onSubmit={event => void submit(event)}>
          <TextInput
            label="File name"
            description="Slashes create folders, such as lib/prices.js"
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={problem && <MessageText of={problem} />}
            spellCheck={false}
            data-autofocus
            required
          />
          <Group justify="flex-end" mt="lg">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <FocusableButton type="submit" loading={isBusy}>
              {confirmLabel}
            </FocusableButton>
          </Group>
        </form>
      )}
    </FormModal>
  );
}
