import { Alert, Button, CopyButton, Group, Text, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface OneTimeSecretProps {
  label: string;
  /** The new key, password or secret. The server returns it only once. */
  secret: string;
  /** How to use it. */
  children: ReactNode;
  onSaved: () => void;
}

/** Shows a new key, password or secret, which cannot be shown again later. */
export function OneTimeSecret({ label, secret, children, onSaved }: OneTimeSecretProps) {
  return (
    <>
      <Alert color="yellow" variant="light" mb="md" title="Copy it now: Trawl does not show it again">
        Anyone who has it can use it. Keep it in a safe place, such as a password manager.
      </Alert>
      <Group align="end" gap="xs" mb="sm">
        <TextInput
          className="grow-all"
          label={label}
          readOnly
          value={secret}
          classNames={{ input: 'mono' }}
          onFocus={event => event.currentTarget.select()}
          data-autofocus
        />
        <CopyButton value={secret} timeout={4000}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" component="div">
        {children}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button onClick={onSaved}>I have saved it</Button>
      </Group>
    </>
  );
}

/** Options of a modal that shows a one-time secret. The user cannot close it by accident and lose the secret. */
export const NO_ACCIDENTAL_CLOSE = { withCloseButton: false, closeOnClickOutside: false, closeOnEscape: false };
