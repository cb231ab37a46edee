import { PasswordInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ROLES, type Role } from '@trawl/contracts';
import { fieldMessages } from '../../../api/field-messages.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { useCreateUser } from '../api/save-user.js';

const LABELS = { username: 'E-mail address', role: 'Role', password: 'Password' };

export function NewUserModal({ onClose }: { onClose: () => void }) {
  const create = useCreateUser();
  const form = useForm({
    initialValues: { username: '', role: 'developer' as Role, password: '' },
    validate: { username: name => (name.trim() === '' ? 'Enter the e-mail address' : null) },
  });
  const submit = form.onSubmit(({ username, role, password }) =>
    create.mutate(
      { username: username.trim(), role, ...(password !== '' && { password }) },
      { onSuccess: onClose, onError: error => form.setErrors(fieldMessages(error, LABELS)) },
    ),
  );
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ input: { ...form.values, password: '' }, restore: form.setValues }}
      onClose={onClose}
      size="lg"
      title="New user"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      {close => (
        <form onSubmit={submit} autoComplete="off">
          <TextInput
            label="E-mail address"
            description="It is also the user name."
            type="email"
            maxLength={254}
            mb="md"
            data-autofocus
            {...form.getInputProps('username')}
          />
          <Select
            label="Role"
            description="Administrators manage users and workers."
            data={[...ROLES]}
            allowDeselect={false}
            mb="md"
            {...form.getInputProps('role')}
          />
          <PasswordInput
            label="Password"
            description="Leave blank to e-mail the user a link to set it."
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
            {...form.getInputProps('password')}
          />
          <ModalActions
            request={create}
            failure="The account was not created"
            labels={LABELS}
            onCancel={close}
            type="submit"
          >
            Create user
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
