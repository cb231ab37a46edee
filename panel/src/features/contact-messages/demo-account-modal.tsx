import { Button, Group, Modal, NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import type { ContactMessage } from '../../api/entities.js';
import { ModalActions } from '../../components/feedback/modal-actions.js';
import { NO_ACCIDENTAL_CLOSE, OneTimeSecret } from '../../components/feedback/one-time-secret.js';
import { TimeText } from '../../components/values/time-text.js';
import { useCreateDemoAccount } from './messages.js';

const DAYS = { min: 1, max: 90, usual: 14 };

/** Creates an account for the visitor that expires, and shows its password if the visitor gets no e-mail. */
export function DemoAccountModal({ message, onClose }: { message: ContactMessage; onClose: () => void }) {
  const create = useCreateDemoAccount(message.id);
  const [days, setDays] = useState<number | string>(DAYS.usual);
  const made = create.data;
  return (
    <Modal
      opened
      onClose={onClose}
      title={made ? `${made.username} has a demo account` : 'Create a demo account?'}
      closeButtonProps={{ 'aria-label': 'Close without creating' }}
      {...(made ? NO_ACCIDENTAL_CLOSE : {})}
    >
      {made === undefined && (
        <>
          <Text size="sm" mb="md">
            The user name is {message.email}. When the account ends, Trawl deletes it with all its data.
          </Text>
          <NumberInput
            label="Days until it ends"
            min={DAYS.min}
            max={DAYS.max}
            clampBehavior="strict"
            allowDecimal={false}
            value={days}
            onChange={setDays}
            data-autofocus
          />
          <ModalActions
            request={create}
            failure="The account was not created"
            onCancel={onClose}
            disabled={days === ''}
            onClick={() => create.mutate(Number(days))}
          >
            Create demo account
          </ModalActions>
        </>
      )}
      {made?.password === null && (
        <>
          <Text size="sm">
            Trawl sent a link to set the password. The account ends on <TimeText iso={made.expires_at} zone />.
          </Text>
          <Group justify="flex-end" mt="lg">
            <Button onClick={onClose}>Close</Button>
          </Group>
        </>
      )}
      {typeof made?.password === 'string' && (
        <OneTimeSecret label="Password" secret={made.password} onSaved={onClose}>
          Send the visitor the user name {made.username} and this password. The account ends on{' '}
          <TimeText iso={made.expires_at} zone />.
        </OneTimeSecret>
      )}
    </Modal>
  );
}
