import { Alert, Button, Checkbox, Group, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrors, messageOf } from '../../../api/api-error.js';
import type { Worker } from '../../../api/entities.js';
import { KEPT_ONLY } from '../../../components/shown-once.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { useSaveWorker } from '../api/save-worker.js';
import { WorkerKey } from './worker-key.js';

/** A new worker, with its key at the end, or a change of one. */
export function WorkerModal({ worker, onClose }: { worker: Worker | null; onClose: () => void }) {
  const save = useSaveWorker(worker?.id ?? null);
  const form = useForm({
    initialValues: { name: worker?.name ?? '', public: worker?.public ?? false },
    validate: { name: name => (name.trim() === '' ? 'Give the worker a name' : null) },
  });
  const submit = form.onSubmit(values =>
    save.mutate(
      { ...values, name: values.name.trim() },
      {
        onSuccess: () => worker && onClose(),
        onError: error => form.setErrors(fieldErrors(error)),
      },
    ),
  );
  if (save.data?.key)
    return (
      <Modal opened onClose={onClose} size="lg" title={`The key of ${save.data.name}`} {...KEPT_ONLY}>
        <WorkerKey secret={save.data.key} onKept={onClose} />
      </Modal>
    );
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={worker ? `Change ${worker.name}` : 'New worker'}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      <form onSubmit={submit}>
        <TextInput
          label="Name"
          description="Letters, digits, dots, hyphens and underscores, such as paris-1."
          maxLength={60}
          mb="md"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox
          label="Public"
          description="Every user may see and choose it. Otherwise only those whom it is assigned to."
          {...form.getInputProps('public', { type: 'checkbox' })}
        />
        {save.isError && (
          <Alert role="alert" color="red" variant="light" mt="md" title="The worker was not saved">
            {messageOf(save.error)}
          </Alert>
        )}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SteadyButton type="submit" loading={save.isPending}>
            {worker ? 'Save worker' : 'Create worker'}
          </SteadyButton>
        </Group>
      </form>
    </Modal>
  );
}
