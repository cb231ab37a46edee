import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from 'react-router';

/** Asks for confirmation before the user navigates away from unsaved changes. */
export function UnsavedChangesGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    // Do not block the sign-in page: the user is sent there when the session ends.
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
        The files have unsaved changes. They are lost if you leave.
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
