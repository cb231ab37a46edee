import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { DiscardModal } from './discard-modal.js';
import { useUnsavedWork } from './unsaved-work.js';

interface FormModalProps extends Omit<ModalProps, 'opened' | 'children' | 'stackId'> {
  /** True if the form has input that closing the modal would lose. */
  isDirty: boolean;
  /** Renders the form. Its button `Cancel` calls `close`. */
  children: (close: () => void) => ReactNode;
}

/** A modal with a form. A click outside, Escape or `Cancel` asks before it loses what the user typed. */
export function FormModal({ isDirty, onClose, children, ...modal }: FormModalProps) {
  const [isAsking, setAsking] = useState(false);
  useUnsavedWork(isDirty);
  const close = () => (isDirty ? setAsking(true) : onClose());
  return (
    <Modal.Stack>
      <Modal
        opened
        onClose={close}
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
