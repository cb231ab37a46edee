import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import type { Worker, WorkerGroup } from '../../../api/entities.js';
import { fieldMessages } from '../../../api/field-messages.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useSaveWorker, type WorkerBody } from '../api/save-worker.js';
import { useSaveWorkerGroup } from '../api/worker-groups.js';
import { WorkerKeyModal } from './worker-key.js';

const LABELS = { name: 'Name' };

interface Wording {
  title: string;
  nameHint: string;
  publicHint: string;
  failure: string;
  submit: string;
}

interface EditModalProps {
  /** Id of the worker or group to change; undefined for a new one. */
  id?: string;
  initialValues: WorkerBody;
  maxNameLength: number;
  isOfGroup: boolean;
  words: Wording;
  /** Resolves with the key of what it has created. */
  save: UseMutationResult<{ name: string; key: string | null }, Error, WorkerBody>;
  onClose: () => void;
}

/** Saves the name of a worker or a group and who may use it, then shows the key if it has a new one. */
function EditModal({ id, initialValues, maxNameLength, isOfGroup, words, save, onClose }: EditModalProps) {
  const form = useForm({
    initialValues,
    validate: { name: name => (name.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit(values =>
    save.mutate(
      { ...values, name: values.name.trim() },
      {
        onSuccess: ({ key }) => key === null && onClose(),
        onError: error => form.setErrors(fieldMessages(error, LABELS)),
      },
    ),
  );
  if (save.data?.key) {
    const { name, key } = save.data;
    return (
      <WorkerKeyModal title={`The key of ${name}`} name={name} secret={key} isOfGroup={isOfGroup} onClose={onClose} />
    );
  }
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ of: id, input: form.values, restore: form.setValues }}
      onClose={onClose}
      size="lg"
      title={words.title}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={submit}>
          <TextInput
            label="Name"
            description={words.nameHint}
            maxLength={maxNameLength}
            mb="md"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Checkbox
            label="Public"
            description={words.publicHint}
            {...form.getInputProps('public', { type: 'checkbox' })}
          />
          <ModalActions request={save} failure={words.failure} labels={LABELS} onCancel={close} type="submit">
            {words.submit}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}

/** Creates a worker and shows its key, or changes a worker. */
export function WorkerModal({ worker, onClose }: { worker: Worker | null; onClose: () => void }) {
  return (
    <EditModal
      id={worker?.id}
      initialValues={{ name: worker?.name ?? '', public: worker?.public ?? false }}
      maxNameLength={60}
      isOfGroup={false}
      words={{
        title: worker ? `Change ${worker.name}` : 'New worker',
        nameHint: 'Letters, digits, dots, hyphens and underscores, such as paris-1.',
        publicHint: 'All users can see and choose it. Otherwise only users to whom it is assigned can.',
        failure: 'The worker was not saved',
        submit: worker ? 'Save worker' : 'Create worker',
      }}
      save={useSaveWorker(worker?.id ?? null)}
      onClose={onClose}
    />
  );
}

/** Creates a worker group and shows its key, or changes a group. */
export function GroupModal({ group, onClose }: { group: WorkerGroup | null; onClose: () => void }) {
  return (
    <EditModal
      id={group?.id}
      initialValues={{ name: group?.name ?? '', public: group?.public ?? false }}
      maxNameLength={50}
      isOfGroup
      words={{
        title: group ? `Change ${group.name}` : 'New worker group',
        nameHint: `${group ? 'Its workers keep their names, new ones get the new name' : 'Its workers are called after it'}: paris-1, paris-2, … Letters, digits, dots, hyphens and underscores.`,
        publicHint:
          'All users can see and choose its workers. Otherwise only users to whom they or the group are assigned can.',
        failure: 'The worker group was not saved',
        submit: group ? 'Save worker group' : 'Create worker group',
      }}
      save={useSaveWorkerGroup(group?.id ?? null)}
      onClose={onClose}
    />
  );
}
