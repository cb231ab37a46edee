import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrors } from '../../../api/api-error.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE } from '../../../components/feedback/one-time-secret.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useCreateWorkerGroup } from '../api/worker-groups.js';
import { WorkerKey } from './worker-key.js';

/** Creates a worker group and shows its key. */
export function GroupModal({ onClose }: { onClose: () => void }) {
  const create = useCreateWorkerGroup();
  const form = useForm({
    initialValues: { name: '', public: false },
    validate: { name: name => (name.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit(values =>
    create.mutate({ ...values, name: values.name.trim() }, { onError: error => form.setErrors(fieldErrors(error)) }),
  );
  if (create.data)
    return (
      <Modal opened onClose={onClose} size="lg" title={`The key of ${create.data.name}`} {...NO_ACCIDENTAL_CLOSE}>
        <WorkerKey secret={create.data.key} isOfGroup onSaved={onClose} />
      </Modal>
    );
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ of: undefined, input: form.values, restore: form.setValues }}
      onClose={onClose}
      size="lg"
      title="New worker group"
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={submit}>
          <TextInput
            label="Name"
            description="Its workers are called after it: paris-1, paris-2, … Letters, digits, dots, hyphens and underscores."
            maxLength={50}
            mb="md"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Checkbox
            label="Public"
            description="All users can see and choose its workers. Otherwise only users to whom they are assigned can."
            {...form.getInputProps('public', { type: 'checkbox' })}
          />
          <ModalActions request={create} failure="The worker group was not saved" onCancel={close} type="submit">
            Create worker group
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
