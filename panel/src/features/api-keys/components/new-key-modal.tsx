import { Alert, Button, Group, Modal, Radio, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { KEY_SCOPES, type KeyScope } from '@trawl/contracts';
import { fieldErrors, messageOf } from '../../../api/api-error.js';
import { KEPT_ONLY, ShownOnce } from '../../../components/shown-once.js';
import { SteadyButton } from '../../../components/steady-button.js';
import { TimeText } from '../../../components/time-text.js';
import { useCreateApiKey } from '../api/create-api-key.js';
import { expiryOf, LIFETIMES, SCOPES } from '../key-terms.js';

/** Asks what the key is for, and then shows it, this one time. */
export function NewKeyModal({ onClose }: { onClose: () => void }) {
  const create = useCreateApiKey();
  const form = useForm({
    initialValues: { name: '', scope: 'read' as KeyScope, days: '90' },
    validate: { name: name => (name.trim() === '' ? 'Say what the key is for' : null) },
  });
  const submit = form.onSubmit(({ name, scope, days }) =>
    create.mutate(
      { name: name.trim(), scope, expires_at: expiryOf(days, Date.now()) },
      { onError: error => form.setErrors(fieldErrors(error)) },
    ),
  );

  if (create.data) {
    const { key, name, scope, expires_at: expiresAt } = create.data;
    return (
      <Modal opened onClose={onClose} size="lg" title={`The key ${name}`} {...KEPT_ONLY}>
        <ShownOnce label="API key" secret={key} onKept={onClose}>
          {SCOPES[scope].may}{' '}
          {expiresAt ? (
            <>
              It ends on <TimeText iso={expiresAt} zone />.
            </>
          ) : (
            'It does not expire.'
          )}{' '}
          A program sends it in the header <code>Authorization: Bearer trk_…</code>
        </ShownOnce>
      </Modal>
    );
  }
  const expiresAt = expiryOf(form.values.days, Date.now());
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title="New API key"
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
    >
      <form onSubmit={submit}>
        <TextInput
          label="Name"
          description="What it is for, so that you know later what stops when you revoke it."
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
              From <TimeText iso={expiresAt} zone /> on it is worth nothing.
            </>
          ) : (
            'It works until you revoke it.'
          )}
        </Text>
        {create.isError && (
          <Alert role="alert" color="red" variant="light" mt="md" title="The key was not made">
            {messageOf(create.error)}
          </Alert>
        )}
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <SteadyButton type="submit" loading={create.isPending}>
            Generate key
          </SteadyButton>
        </Group>
      </form>
    </Modal>
  );
}
