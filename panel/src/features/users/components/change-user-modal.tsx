import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { QUOTA_NAMES, ROLES } from '@trawl/contracts';
import type { User } from '../../../api/entities.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { startOfDay } from '../../../components/list/days.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { QUOTA_LABELS } from '../../../components/values/quota-labels.js';
import { useUpdateUser } from '../api/save-user.js';
import { quotasOf, quotaTexts } from '../quota-form.js';

/** Returns the day of an ISO time in the user's time zone; '' for none. */
const dayOf = (iso: string | null): string => (iso === null ? '' : new Date(iso).toLocaleDateString('sv-SE'));

export function ChangeUserModal({ user, onClose }: { user: User; onClose: () => void }) {
  const update = useUpdateUser(user.id);
  const form = useForm({
    initialValues: { role: user.role, ends: dayOf(user.expires_at), quotas: quotaTexts(user.quotas) },
  });
  const submit = form.onSubmit(({ role, ends, quotas }) =>
    update.mutate(
      {
        role,
        quotas: quotasOf(quotas),
        ...(form.isDirty('ends') && { expires_at: startOfDay(ends) ?? null }),
      },
      { onSuccess: onClose },
    ),
  );
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ of: user.id, input: form.values, restore: form.setValues }}
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
          <TextInput
            type="date"
            label="Ends"
            description="From the beginning of this day, nobody can sign in, and Trawl deletes the account. Leave blank if it does not end."
            mb="md"
            {...form.getInputProps('ends')}
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
