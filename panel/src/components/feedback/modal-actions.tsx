import { Alert, Button, Group } from '@mantine/core';
import type { ComponentProps } from 'react';
import { type FieldLabels, isAtFields } from '../../api/field-messages.js';
import { FocusableButton } from '../focusable-button.js';
import { MessageText } from './message-text.js';

interface ModalActionsProps extends ComponentProps<typeof FocusableButton> {
  request: { error: unknown; isPending: boolean };
  /** Title of the alert that is shown if the request failed. */
  failure: string;
  /** Labels of the fields that show their own error, so that the alert does not repeat it. */
  labels?: FieldLabels;
  onCancel: () => void;
}

/** Bottom part of a modal: the error of the failed request, a `Cancel` button, and a button that sends the request. */
export function ModalActions({ request, failure, labels = {}, onCancel, ...button }: ModalActionsProps) {
  return (
    <>
      {request.error !== null && (
        <Alert role="alert" color="red" variant="light" mt="md" title={failure}>
          {!isAtFields(request.error, labels) && <MessageText of={request.error} />}
        </Alert>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <FocusableButton {...button} loading={request.isPending} />
      </Group>
    </>
  );
}
