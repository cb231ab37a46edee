import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrors } from '../../../api/api-error.js';
import type { Worker } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE } from '../../../components/feedback/one-time-secret.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useSaveWorker } from '../api/save-worker.js';
import { WorkerKey } from './worker-key.js';

/** Creates a worker and shows its key, or changes a worker. */
export function WorkerModal({ worker, onClose }: { worker: Worker | null; onClose: () => void }) {
  const save = useSaveWorker(worker?.id ?? null);
  const form = useForm({
    initialValues: { name: worker?.name ?? '', public: worker?.public ?? false },
    validate: { name: name => (name.trim() === '' ? 'Enter a name' : null) },
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
      <Modal opened onClose={onClose} size="lg" title={`The key of ${save.data.name}`} {...NO_ACCIDENTAL_CLOSE}>
        <WorkerKey secret={save.data.key} onSaved={onClose} />
      </Modal>
    );
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ of: worker?.id, input: form.values, restore: form.setValues }}
      onClose={onClose}
      size="lg"
      title={worker ? `Change ${worker.name}` : 'New worker'}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
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
            description="All users can see and choose it. Otherwise only users to whom it is assigned can."
            {...form.getInputProps('public', { type: 'checkbox' })}
          />
          <ModalActions request={save} failure="The worker was not saved" onCancel={close} type="submit">
            {worker ? 'Save worker' : 'Create worker'}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
