import { Alert, Button, Group, Modal, NumberInput, Select, SimpleGrid } from '@mantine/core';
import { useForm } from '@mantine/form';
import { QUOTA_NAMES, ROLES } from '@trawl/contracts';
import { messageOf } from '../../../api/api-error.js';
import type { User } from '../../../api/entities.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { useUpdateUser } from '../api/save-user.js';
import { QUOTA_LABELS, quotasOf, quotaTexts } from '../quotas.js';

export function ChangeUserModal({ user, onClose }: { user: User; onClose: () => void }) {
  const update = useUpdateUser(user.id);
  const form = useForm({ initialValues: { role: user.role, quotas: quotaTexts(user.quotas) } });
  const submit = form.onSubmit(({ role, quotas }) =>
    update.mutate({ role, quotas: quotasOf(quotas) }, { onSuccess: onClose }),
  );
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`Change ${user.username}`}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      <form onSubmit={submit}>
        <Select
          label="Role"
          description="A change ends the sessions of the account."
          data={[...ROLES]}
          allowDeselect={false}
          mb="md"
          {...form.getInputProps('role')}
        />
        <fieldset className="quota-fields">
          <legend>Quotas</legend>
          <p className="tab-note">Empty is what the installation says, 0 is without limit.</p>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            {QUOTA_NAMES.map(name => (
              <NumberInput
                key={name}
                label={QUOTA_LABELS[name]}
                placeholder="as the installation says"
                thousandSeparator=","
                allowDecimal={false}
                allowNegative={false}
                max={Number.MAX_SAFE_INTEGER}
                {...form.getInputProps(`quotas.${name}`)}
              />
            ))}
          </SimpleGrid>
        </fieldset>
        {update.isError && (
          <Alert role="alert" color="red" variant="light" mt="md" title="The account was not changed">
            {messageOf(update.error)}
          </Alert>
        )}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SteadyButton type="submit" loading={update.isPending}>
            Save user
          </SteadyButton>
        </Group>
      </form>
    </Modal>
  );
}
