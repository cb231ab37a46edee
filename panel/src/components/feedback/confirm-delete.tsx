import { Button, Group, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FocusableButton } from '../focusable-button.js';
import { inReadingOrder } from '../values/in-reading-order.js';

interface ConfirmDeleteOptions {
  title: string;
  /** Explains which data the deletion removes. */
  children: ReactNode;
  confirmLabel: string;
  /** Text that the user must type first, for a deletion that takes much with it. */
  typed?: string;
  onConfirm: () => void;
}

/** Asks for the text `typed`, and only then offers the red button. */
function TypedConfirmation({ children, confirmLabel, typed = '', onConfirm }: Omit<ConfirmDeleteOptions, 'title'>) {
  const [text, setText] = useState('');
  const wanted = inReadingOrder(typed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    modals.closeAll();
    onConfirm();
  };
  return (
    <form onSubmit={submit}>
      <Text size="sm" component="div">
        {children}
      </Text>
      <TextInput
        mt="md"
        label={`Type ${wanted} to confirm`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        data-autofocus
      />
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => modals.closeAll()}>
          Cancel
        </Button>
        <FocusableButton
          type="submit"
          className="danger-button"
          disabled={inReadingOrder(text).trim() !== wanted.trim()}
        >
          {confirmLabel}
        </FocusableButton>
      </Group>
    </form>
  );
}

export function confirmDelete(options: ConfirmDeleteOptions): void {
  const { children, confirmLabel, typed, onConfirm } = options;
  const title = inReadingOrder(options.title);
  if (typed !== undefined) {
    modals.open({ title, children: <TypedConfirmation {...options} /> });
    return;
  }
  modals.openConfirmModal({
    title,
    children: (
      <Text size="sm" component="div">
        {children}
      </Text>
    ),
    labels: { confirm: confirmLabel, cancel: 'Cancel' },
    confirmProps: { className: 'danger-button' },
    onConfirm,
  });
}
