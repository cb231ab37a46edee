import { Alert, Button, Group, Modal, PasswordInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ROLES, type Role } from '@trawl/contracts';
import { fieldErrors, messageOf } from '../../../api/api-error.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { useCreateUser } from '../api/save-user.js';

export function NewUserModal({ onClose }: { onClose: () => void }) {
  const create = useCreateUser();
  const form = useForm({
    initialValues: { username: '', role: 'developer' as Role, password: '' },
    validate: { username: name => (name.trim() === '' ? 'Give the address of the account' : null) },
  });
  const submit = form.onSubmit(({ username, role, password }) =>
    create.mutate(
      { username: username.trim(), role, ...(password !== '' && { password }) },
      { onSuccess: onClose, onError: error => form.setErrors(fieldErrors(error)) },
    ),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title="New user"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      <form onSubmit={submit} autoComplete="off">
        <TextInput
          label="E-mail address"
          description="It becomes the user name."
          type="email"
          maxLength={254}
          mb="md"
          data-autofocus
          {...form.getInputProps('username')}
        />
        <Select
          label="Role"
          description="An administrator sees to users and workers."
          data={[...ROLES]}
          allowDeselect={false}
          mb="md"
          {...form.getInputProps('role')}
        />
        <PasswordInput
          label="Password"
          description="Left empty, an e-mail goes to the address, with a link that sets it."
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          {...form.getInputProps('password')}
        />
        {create.isError && (
          <Alert role="alert" color="red" variant="light" mt="md" title="The account was not made">
            {messageOf(create.error)}
          </Alert>
        )}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SteadyButton type="submit" loading={create.isPending}>
            Create user
          </SteadyButton>
        </Group>
      </form>
    </Modal>
  );
}
