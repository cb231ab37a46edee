import { Alert, Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Navigate } from 'react-router';
import { fieldErrors, messageOf } from '../../../api/api-error.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useCreateSkript } from '../api/create-skript.js';
import { NEW_SKRIPT, SkriptFields, skriptRules } from './skript-fields.js';

interface NewSkriptModalProps {
  onClose: () => void;
  editorHref: (skriptId: string) => string;
}

export function NewSkriptModal({ onClose, editorHref }: NewSkriptModalProps) {
  const create = useCreateSkript();
  const form = useForm({ initialValues: NEW_SKRIPT, validate: skriptRules });

  const submit = form.onSubmit(({ title, description, category, environment }) =>
    create.mutate(
      { title: title.trim(), description, category, environment },
      { onError: error => form.setErrors(fieldErrors(error)) },
    ),
  );

  if (create.isSuccess) return <Navigate to={editorHref(create.data.id)} />;
  return (
    <FormModal
      isDirty={form.isDirty()}
      onClose={onClose}
      title="New skript"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      {close => (
        <form onSubmit={submit}>
          <SkriptFields form={form} withAll={false} />
          {create.isError && (
            <Alert role="alert" color="red" variant="light" mb="md" title="The skript was not created">
              {messageOf(create.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <FocusableButton type="submit" loading={create.isPending}>
              Create skript
            </FocusableButton>
          </Group>
        </form>
      )}
    </FormModal>
  );
}
