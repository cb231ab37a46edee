import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { Navigate } from 'react-router';
import { fieldMessages } from '../../api/field-messages.js';
import { ModalActions } from '../feedback/modal-actions.js';
import { FormModal } from './form-modal.js';

interface NameModalProps<Sent, Answer> {
  title: string;
  label: string;
  description?: string;
  initialName?: string;
  maxLength?: number;
  /** Label of a checkbox, such as for replacing what has the name already. */
  option?: string;
  button: string;
  failure: string;
  request: UseMutationResult<Answer, Error, Sent>;
  toSend: (name: string, isOptionChosen: boolean) => Sent;
  /** Address to open afterwards. */
  hrefOf?: (answer: Answer) => string;
  onClose: () => void;
}

/** Asks for the name of a new, copied or renamed thing. */
export function NameModal<Sent, Answer>(props: NameModalProps<Sent, Answer>) {
  const {
    title,
    label,
    description,
    initialName = '',
    maxLength,
    option,
    button,
    failure,
    request,
    toSend,
    hrefOf,
    onClose,
  } = props;
  const form = useForm({
    initialValues: { name: initialName, option: false },
    validate: { name: name => (name.trim() === '' ? 'Enter a name' : null) },
  });
  const labels = { name: label, to: label };
  const submit = form.onSubmit(values =>
    request.mutate(toSend(values.name.trim(), values.option), {
      onSuccess: () => {
        if (!hrefOf) onClose();
      },
      onError: error => {
        const { name, to } = fieldMessages(error, labels);
        form.setErrors({ name: name ?? to });
      },
    }),
  );
  // It replaces the form, so that the user is not asked about losing what is saved.
  if (hrefOf && request.isSuccess) return <Navigate to={hrefOf(request.data)} />;
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ input: form.values, restore: form.setValues }}
      onClose={onClose}
      size="md"
      title={title}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={submit}>
          <TextInput
            label={label}
            description={description}
            maxLength={maxLength}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.getInputProps('name')}
          />
          {option && <Checkbox mt="md" label={option} {...form.getInputProps('option', { type: 'checkbox' })} />}
          <ModalActions request={request} failure={failure} labels={labels} onCancel={close} type="submit">
            {button}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
