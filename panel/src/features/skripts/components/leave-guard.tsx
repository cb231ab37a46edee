import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from 'react-router';

/** Asks before a page with unsaved changes is left within the panel. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    // The end of a session cannot be stayed away from.
    const isLogin = nextLocation.pathname.endsWith('/login');
    return isDirty && !isLogin && currentLocation.pathname !== nextLocation.pathname;
  });
  return (
    <Modal
      opened={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      withCloseButton={false}
    >
      <Text size="sm" mb="lg">
        The files have changes that are not saved. They are lost when you leave.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => blocker.reset?.()} data-autofocus>
          Stay
        </Button>
        <Button className="danger-button" onClick={() => blocker.proceed?.()}>
          Leave without saving
        </Button>
      </Group>
    </Modal>
  );
}
