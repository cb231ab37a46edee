import { useBlocker } from 'react-router';
import { DiscardModal } from './discard-modal.js';
import { hasUnsavedWork } from './unsaved-work.js';

/** Asks before the user leaves a page with unsaved work. React Router allows only one such blocker, so the shell has it. */
export function UnsavedWorkGuard() {
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    // Do not block the sign-in page: when the session ends, the user is sent there, and signing out asks by itself.
    const isLogin = nextLocation.pathname.endsWith('/login');
    return !isLogin && currentLocation.pathname !== nextLocation.pathname && hasUnsavedWork();
  });
  return (
    <DiscardModal
      opened={blocker.state === 'blocked'}
      title="Leave without saving?"
      stayLabel="Stay"
      discardLabel="Leave without saving"
      onStay={() => blocker.reset?.()}
      onDiscard={() => blocker.proceed?.()}
    >
      This page has unsaved changes. They are lost if you leave.
    </DiscardModal>
  );
}
