import { Alert, Button, CopyButton, Group, Text, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface ShownOnceProps {
  label: string;
  /** What will never be shown again. */
  secret: string;
  /** What it is good for, and how it is used. */
  children: ReactNode;
  onKept: () => void;
}

/** A key that the server shows this one time. */
export function ShownOnce({ label, secret, children, onKept }: ShownOnceProps) {
  return (
    <>
      <Alert color="yellow" variant="light" mb="md" title="Copy it now: it is not shown again">
        Trawl keeps no copy that could be read. Whoever has it may use it, so keep it as you keep a password.
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
        <Button onClick={onKept}>I have kept it</Button>
      </Group>
    </>
  );
}

/** For the dialogue around it: a slip of the mouse or of Escape would lose what is shown. */
export const KEPT_ONLY = { withCloseButton: false, closeOnClickOutside: false, closeOnEscape: false };
