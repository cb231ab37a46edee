import { Modal, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { KEY_SCOPES, type KeyScope } from '@trawl/contracts';
import { fieldMessages } from '../../../api/field-messages.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE, OneTimeSecret } from '../../../components/feedback/one-time-secret.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { TimeText } from '../../../components/values/time-text.js';
import { useCreateApiKey } from '../api/create-api-key.js';
import { expiryOf, LIFETIMES, SCOPES } from '../key-terms.js';

const LABELS = { name: 'Name', scope: 'Scope', expires_at: 'Expiry' };

/** Creates a key and shows it once. */
export function NewKeyModal({ onClose }: { onClose: () => void }) {
  const create = useCreateApiKey();
  const form = useForm({
    initialValues: { name: '', scope: 'read' as KeyScope, days: '90' },
    validate: { name: name => (name.trim() === '' ? 'Enter a name for the key' : null) },
  });
  const submit = form.onSubmit(({ name, scope, days }) =>
    create.mutate(
      { name: name.trim(), scope, expires_at: expiryOf(days, Date.now()) },
      { onError: error => form.setErrors(fieldMessages(error, LABELS)) },
    ),
  );

  if (create.data) {
    const { key, name, scope, expires_at: expiresAt } = create.data;
    return (
      <Modal opened onClose={onClose} size="lg" title={`The key ${name}`} {...NO_ACCIDENTAL_CLOSE}>
        <OneTimeSecret label="API key" secret={key} onSaved={onClose}>
          {SCOPES[scope].may}{' '}
          {expiresAt ? (
            <>
              It ends on <TimeText iso={expiresAt} zone />.
            </>
          ) : (
            'It does not expire.'
          )}{' '}
          A program sends it in the header <code>Authorization: Bearer trk_…</code>
        </OneTimeSecret>
      </Modal>
    );
  }
  const expiresAt = expiryOf(form.values.days, Date.now());
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ input: form.values, restore: form.setValues }}
      onClose={onClose}
      size="lg"
      title="New API key"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      {close => (
        <form onSubmit={submit}>
          <TextInput
            label="Name"
            description="What uses the key, so that you know later what stops when you revoke it."
            placeholder="nightly import"
            maxLength={100}
            mb="md"
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Radio.Group label="Scope" mb="md" {...form.getInputProps('scope')}>
            <Stack gap="xs" mt={6}>
              {KEY_SCOPES.map(scope => (
                <Radio key={scope} value={scope} label={SCOPES[scope].label} description={SCOPES[scope].may} />
              ))}
            </Stack>
          </Radio.Group>
          <Select
            label="Expires after"
            data={[...LIFETIMES]}
            allowDeselect={false}
            {...form.getInputProps('days')}
            error={form.errors.expires_at}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {expiresAt ? (
              <>
                The key expires on <TimeText iso={expiresAt} zone />.
              </>
            ) : (
              'It works until you revoke it.'
            )}
          </Text>
          <ModalActions
            request={create}
            failure="The key was not created"
            labels={LABELS}
            onCancel={close}
            type="submit"
          >
            Generate key
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
