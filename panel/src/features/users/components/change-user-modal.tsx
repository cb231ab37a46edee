import { NumberInput, Select, SimpleGrid } from '@mantine/core';
import { useForm } from '@mantine/form';
import { QUOTA_NAMES, ROLES } from '@trawl/contracts';
import type { User } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { QUOTA_LABELS } from '../../../components/values/quota-labels.js';
import { useUpdateUser } from '../api/save-user.js';
import { quotasOf, quotaTexts } from '../quota-form.js';

export function ChangeUserModal({ user, onClose }: { user: User; onClose: () => void }) {
  const update = useUpdateUser(user.id);
  const form = useForm({ initialValues: { role: user.role, quotas: quotaTexts(user.quotas) } });
  const submit = form.onSubmit(({ role, quotas }) =>
    update.mutate({ role, quotas: quotasOf(quotas) }, { onSuccess: onClose }),
  );
  return (
    <FormModal
      isDirty={form.isDirty()}
      onClose={onClose}
      size="lg"
      title={`Change ${user.username}`}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={submit}>
          <Select
            label="Role"
            description="Changing the role ends the sessions of the account."
            data={[...ROLES]}
            allowDeselect={false}
            mb="md"
            {...form.getInputProps('role')}
          />
          <fieldset className="quota-fields">
            <legend>Quotas</legend>
            <p className="tab-note">Leave blank for the default of the installation; 0 means unlimited.</p>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              {QUOTA_NAMES.map(name => (
                <NumberInput
                  key={name}
                  label={QUOTA_LABELS[name]}
                  placeholder="default"
                  thousandSeparator=","
                  allowDecimal={false}
                  allowNegative={false}
                  max={Number.MAX_SAFE_INTEGER}
                  {...form.getInputProps(`quotas.${name}`)}
                />
              ))}
            </SimpleGrid>
          </fieldset>
          <ModalActions request={update} failure="The account was not changed" onCancel={close} type="submit">
            Save user
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
