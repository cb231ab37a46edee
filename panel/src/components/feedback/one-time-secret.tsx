import { Alert, Button, CopyButton, Group, Text, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface OneTimeSecretProps {
  label: string;
  /** The new key. The server returns it only once. */
  secret: string;
  /** How to use the key. */
  children: ReactNode;
  onSaved: () => void;
}

/** Shows a new key, which cannot be shown again later. */
export function OneTimeSecret({ label, secret, children, onSaved }: OneTimeSecretProps) {
  return (
    <>
      <Alert color="yellow" variant="light" mb="md" title="Copy it now: Trawl does not show it again">
        Trawl stores only a hash of the key. Anyone who has the key can use it, so store it like a password.
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

/** Options of a modal that shows a new key. The user cannot close it by accident and lose the key. */
export const NO_ACCIDENTAL_CLOSE = { withCloseButton: false, closeOnClickOutside: false, closeOnEscape: false };
