import { Button, Group, getDefaultZIndex, Modal, Text } from '@mantine/core';

interface DiscardModalProps {
  opened: boolean;
  title: string;
  /** Says which work is lost. */
  children: string;
  stayLabel: string;
  discardLabel: string;
  onStay: () => void;
  onDiscard: () => void;
  /** Id in the surrounding `Modal.Stack`, if there is one. */
  stackId?: string;
}

/** Asks before unsaved work is lost. Every way to close it keeps the work, except its red button. */
export function DiscardModal(props: DiscardModalProps) {
  const { opened, title, children, stayLabel, discardLabel, onStay, onDiscard, stackId } = props;
  return (
    <Modal
      opened={opened}
      onClose={onStay}
      title={title}
      withCloseButton={false}
      stackId={stackId}
      // Outside a stack, a dialog of the page may be open, which would cover this one.
      zIndex={stackId === undefined ? getDefaultZIndex('overlay') : undefined}
    >
      <Text size="sm" mb="lg">
        {children}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onStay} data-autofocus>
          {stayLabel}
        </Button>
        <Button className="danger-button" onClick={onDiscard}>
          {discardLabel}
        </Button>
      </Group>
    </Modal>
  );
}
