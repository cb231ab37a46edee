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
  /**
   * Text that the user must type first: the name of the thing if its deletion also deletes or stops other things that
   * users made, or `delete 25` for several things at once.
   */
  typed?: string;
  onConfirm: () => void;
}

/** A page shows several spaces as one, so that users cannot know how many a name has. */
const withoutExtraSpaces = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Asks for the text `typed`, and only then offers the red button. */
function TypedConfirmation({ children, confirmLabel, typed = '', onConfirm }: Omit<ConfirmDeleteOptions, 'title'>) {
  const [text, setText] = useState('');
  const wanted = withoutExtraSpaces(inReadingOrder(typed));
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
          disabled={withoutExtraSpaces(inReadingOrder(text)) !== wanted}
        >
          {confirmLabel}
        </FocusableButton>
      </Group>
    </form>
  );
}

/** Returns what the user types to delete `count` things at once: nothing if it is only one. */
export const typedCount = (count: number): string | undefined => (count === 1 ? undefined : `delete ${count}`);

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
