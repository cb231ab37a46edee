import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Skript } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useDuplicateSkript } from '../api/duplicate-skript.js';
import { TITLE_CHARS } from '../components/skript-fields.js';

const COPY = ' (copy)';

interface DuplicateModalProps {
  skript: Skript;
  onDone: (copy: Skript) => void;
  onClose: () => void;
}

/** Asks for the title of the copy. */
export function DuplicateModal({ skript, onDone, onClose }: DuplicateModalProps) {
  const initial = `${skript.title.slice(0, TITLE_CHARS - COPY.length)}${COPY}`;
  const [title, setTitle] = useState(initial);
  const duplicate = useDuplicateSkript();
  const isEmpty = title.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isEmpty) duplicate.mutate({ skript, title: title.trim() }, { onSuccess: onDone });
  };
  return (
    <FormModal isDirty={title !== initial && !duplicate.isSuccess} onClose={onClose} title="Duplicate this skript">
      {close => (
        <form onSubmit={submit}>
          <TextInput
            label="Title of the copy"
            description="The copy has the saved files, inputs and settings. It has no input secrets, schedules and webhooks."
            maxLength={TITLE_CHARS}
            data-autofocus
            value={title}
            onChange={event => setTitle(event.currentTarget.value)}
            error={isEmpty && 'Enter a title'}
          />
          <ModalActions request={duplicate} failure="The skript was not duplicated" onCancel={close} type="submit">
            Duplicate
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
