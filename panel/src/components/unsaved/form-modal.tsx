import { Modal, type ModalProps } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { inReadingOrder } from '../values/in-reading-order.js';
import { DiscardModal } from './discard-modal.js';
import { useUnsavedWork } from './unsaved-work.js';
import { useKeptForm } from './use-kept-form.js';

interface KeptInput<Input> {
  /** Id of what the form changes. The address and the title name it too, so that forms for new things need none. */
  of?: string | null;
  /** The typed values, without passwords and other secrets. */
  input: Input;
  /** Fills the form again. */
  restore: (input: Input) => void;
}

interface FormModalProps<Input> extends Omit<ModalProps, 'opened' | 'children' | 'stackId' | 'title'> {
  title: string;
  /** True if the form has input that closing the modal would lose. */
  isDirty: boolean;
  /** Input that survives the end of the session. It is missing if all input is secret. */
  kept?: KeptInput<Input>;
  /** Renders the form. Its button `Cancel` calls `close`. */
  children: (close: () => void) => ReactNode;
}

/**
 * A modal with a form. A click outside, Escape or `Cancel` asks before it loses what the user typed. If the session ends,
 * the form is filled again when the same user opens it at the same address.
 */
export function FormModal<Input>({ isDirty, onClose, kept, children, title, ...modal }: FormModalProps<Input>) {
  const [isAsking, setAsking] = useState(false);
  const { pathname } = useLocation();
  const name = JSON.stringify([pathname, title, kept?.of]);
  useUnsavedWork(isDirty, true);
  useKeptForm<Input>({
    name,
    input: isDirty && kept ? kept.input : null,
    restore: before => {
      kept?.restore(before);
      notifications.hide(name);
    },
    onKept: () =>
      notifications.show({
        id: name,
        message: `Trawl keeps your entries in “${inReadingOrder(title)}”. Open the form again to continue.`,
        color: 'sea',
        autoClose: false,
      }),
  });
  const close = () => (isDirty ? setAsking(true) : onClose());
  return (
    <Modal.Stack>
      <Modal
        opened
        onClose={close}
        title={inReadingOrder(title)}
        size="lg"
        stackId="form"
        closeButtonProps={{ 'aria-label': 'Close without saving' }}
        {...modal}
      >
        {children(close)}
      </Modal>
      <DiscardModal
        opened={isAsking}
        stackId="discard"
        title="Discard your input?"
        stayLabel="Keep editing"
        discardLabel="Discard"
        onStay={() => setAsking(false)}
        onDiscard={onClose}
      >
        The form has input that is not saved.
      </DiscardModal>
    </Modal.Stack>
  );
}
