import { Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../../../api/api-error.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useSaveValues } from '../api/save-values.js';
import type { RunInput } from '../start-call.js';

interface SaveValuesModalProps {
  skriptId: string;
  input: Extract<RunInput, { from: 'typed' }>;
  onSaved: (ids: { input_id: string | null; inputSecret_id: string | null }) => void;
  onClose: () => void;
}

/** Asks for the names under which typed values are saved, because a schedule runs with saved ones. */
export function SaveValuesModal({ skriptId, input: typed, onSaved, onClose }: SaveValuesModalProps) {
  const save = useSaveValues();
  const [inputName, setInputName] = useState('input-scheduled.json');
  const [secretName, setSecretName] = useState('inputSecret-scheduled.json');
  const { name } = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      {
        skriptId,
        ...(typed.input !== undefined && { input: { name: inputName.trim(), val: typed.input } }),
        ...(typed.inputSecret !== undefined && { inputSecret: { name: secretName.trim(), val: typed.inputSecret } }),
      },
      { onSuccess: onSaved },
    );
  };
  return (
    <FormModal isDirty={false} onClose={onClose} title="Save the input for the schedule">
      {close => (
        <form onSubmit={submit}>
          <Text size="sm" mb="md">
            A schedule runs with saved values. Save what you typed with the skript, then say when it runs.
          </Text>
          {typed.input !== undefined && (
            <TextInput
              label="Name of the input"
              description="It begins with input and ends with .json"
              value={inputName}
              onChange={event => setInputName(event.currentTarget.value)}
              error={name}
              data-autofocus
              mb="md"
            />
          )}
          {typed.inputSecret !== undefined && (
            <TextInput
              label="Name of the input secret"
              description="It begins with inputSecret and ends with .json"
              value={secretName}
              onChange={event => setSecretName(event.currentTarget.value)}
            />
          )}
          <ModalActions request={save} failure="The values were not saved" onCancel={close} type="submit">
            Save and continue
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
