import { Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { EventType } from '@trawl/contracts';
import type { Webhook } from '../../../api/entities.js';
import { fieldMessages } from '../../../api/field-messages.js';
import { ModalActions } from '../../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE, OneTimeSecret } from '../../../components/feedback/one-time-secret.js';
import { FormModal } from '../../../components/unsaved/form-modal.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { EventChoices } from './event-choices.js';
import { useCreateWebhook, useUpdateWebhook } from './webhooks.js';

const MAX_NAME_CHARS = 100;
const LABELS = { name: 'Name', url: 'URL', events: 'Events' };

interface SecretModalProps {
  name: string;
  secret: string;
  onClose: () => void;
}

/** Shows the secret of a webhook once. */
export function SecretModal({ name, secret, onClose }: SecretModalProps) {
  return (
    <Modal opened onClose={onClose} size="lg" title={`The secret of ${name}`} {...NO_ACCIDENTAL_CLOSE}>
      <OneTimeSecret label="Secret" secret={secret} onSaved={onClose}>
        Your receiver checks the signature of each event with it, as the standard at standardwebhooks.com says.
      </OneTimeSecret>
    </Modal>
  );
}

interface WebhookModalProps {
  /** The webhook to change; null for a new one. */
  webhook: Webhook | null;
  /** The skript of a new webhook, which hears only of it. */
  skript?: { id: string; title: string };
  onClose: () => void;
}

export function WebhookModal({ webhook, skript, onClose }: WebhookModalProps) {
  const create = useCreateWebhook();
  const update = useUpdateWebhook(webhook?.id ?? '');
  const request = webhook ? update : create;
  const form = useForm({
    initialValues: {
      name: webhook?.name ?? skript?.title.slice(0, MAX_NAME_CHARS) ?? '',
      url: webhook?.url ?? '',
      events: (webhook?.events ?? ['run.failed']) as EventType[],
    },
    validate: {
      name: name => (name.trim() === '' ? 'Enter a name' : null),
      url: url => (url.trim() === '' ? 'Enter the URL that receives the events' : null),
      events: events => (events.length === 0 ? 'Choose at least one event' : null),
    },
  });
  const submit = form.onSubmit(values => {
    const body = { ...values, name: values.name.trim(), url: values.url.trim() };
    const onError = (error: unknown) => form.setErrors(fieldMessages(error, LABELS));
    if (webhook) update.mutate(body, { onSuccess: onClose, onError });
    else create.mutate({ ...body, ...(skript && { skript_id: skript.id }) }, { onError });
  });
  if (create.data) return <SecretModal name={create.data.name} secret={create.data.secret} onClose={onClose} />;
  return (
    <FormModal
      isDirty={form.isDirty()}
      kept={{ of: webhook?.id, input: form.values, restore: form.setValues }}
      onClose={onClose}
      title={
        webhook ? `Change ${webhook.name}` : skript ? `New webhook for ${inReadingOrder(skript.title)}` : 'New webhook'
      }
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={submit}>
          <TextInput label="Name" maxLength={MAX_NAME_CHARS} data-autofocus {...form.getInputProps('name')} />
          <TextInput
            mt="sm"
            mb="md"
            label="URL"
            description="It receives each event by POST. Use https and a public address."
            placeholder="https://example.com/trawl"
            type="url"
            {...form.getInputProps('url')}
          />
          <EventChoices
            label="Events"
            ofSkript={skript !== undefined || (webhook !== null && webhook.skript_id !== null)}
            value={form.values.events}
            onChange={events => form.setFieldValue('events', events)}
            error={form.errors.events}
          />
          <ModalActions
            request={request}
            failure="The webhook was not saved"
            labels={LABELS}
            onCancel={close}
            type="submit"
          >
            {webhook ? 'Save webhook' : 'Create webhook'}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
