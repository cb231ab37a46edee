import { Alert, Button, Group, Modal } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from 'react-router';
import { fieldErrors, messageOf } from '../../../api/api-error.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useCreateSkript } from '../api/create-skript.js';
import { NEW_SKRIPT, SkriptFields, skriptRules } from './skript-fields.js';

interface NewSkriptModalProps {
  opened: boolean;
  onClose: () => void;
  editorHref: (skriptId: string) => string;
}

export function NewSkriptModal({ opened, onClose, editorHref }: NewSkriptModalProps) {
  const navigate = useNavigate();
  const create = useCreateSkript();
  const form = useForm({ initialValues: NEW_SKRIPT, validate: skriptRules });

  const submit = form.onSubmit(({ title, description, category, environment }) =>
    create.mutate(
      { title: title.trim(), description, category, environment },
      {
        onSuccess: skript => void navigate(editorHref(skript.id)),
        onError: error => form.setErrors(fieldErrors(error)),
      },
    ),
  );

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="New skript"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      <form onSubmit={submit}>
        <SkriptFields form={form} withAll={false} />
        {create.isError && (
          <Alert role="alert" color="red" variant="light" mb="md" title="The skript was not created">
            {messageOf(create.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <FocusableButton type="submit" loading={create.isPending}>
            Create skript
          </FocusableButton>
        </Group>
      </form>
    </Modal>
  );
}
