import { Checkbox, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldErrors } from '../../../api/api-error.js';
import type { WorkerGroup } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE } from '../../../components/feedback/one-time-secret.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useSaveWorkerGroup } from '../api/worker-groups.js';
import { WorkerKey } from './worker-key.js';

/** Creates a worker group and shows its key, or changes a group. */
export function GroupModal({ group, onClose }: { group: WorkerGroup | null; onClose: () => void }) {
  const save = useSaveWorkerGroup(group?.id ?? null);
  const form = useForm({
    initialValues: { name: group?.name ?? '', public: group?.public ?? false },
    validate: { name: name => (name.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit(values =>
    save.mutate(
      { ...values, name: values.name.trim() },
      {
        onSuccess: () => group && onClose(),
        onError: error => form.setErrors(fieldErrors(error)),
      },
    ),
  );
  if (save.data?.key)
    return (
      <Modal opened onClose={onClose} size="lg" title={`The key of ${save.data.name}`} {...NO_ACCIDENTAL_CLOSE}>
        <WorkerKey secret={save.data.key} isOfGroup onSaved={onClose} />
      </Modal>
    );
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ of: group?.id, input: form.values, restore: form.setValues }}
      onClose={onClose}
      size="lg"
      title={group ? `Change ${group.name}` : 'New worker group'}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={submit}>
          <TextInput
            label="Name"
            description={`${group ? 'Its workers keep their names, new ones get the new name' : 'Its workers are called after it'}: paris-1, paris-2, … Letters, digits, dots, hyphens and underscores.`}
            maxLength={50}
            mb="md"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Checkbox
            label="Public"
            description="All users can see and choose its workers. Otherwise only users to whom they or the group are assigned can."
            {...form.getInputProps('public', { type: 'checkbox' })}
          />
          <ModalActions request={save} failure="The worker group was not saved" onCancel={close} type="submit">
            {group ? 'Save worker group' : 'Create worker group'}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
