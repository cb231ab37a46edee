import { useBlocker } from 'react-router';
import { readSession } from '../../session/session-cookies.js';
import { endSession } from '../../session/session-end.js';
import { DiscardModal } from './discard-modal.js';
import { hasUnsavedWork, hasWorkOfTab, unsavedWords } from './unsaved-work.js';

const isSignedOut = (): boolean => readSession(document.cookie) === null;

const endIfSignedOut = (): void => {
  if (isSignedOut()) endSession();
};

/**
 * Asks before the user leaves a page with unsaved work. If the cookies are gone, it ends the session instead, which keeps
 * the work. React Router allows only one such blocker, so the shell has it.
 */
export function UnsavedWorkGuard() {
  const blocker = useBlocker(({ currentLocation, nextLocation, historyAction }) => {
    // Do not block the sign-in page: when the session ends, the user is sent there, and signing out asks by itself.
    if (nextLocation.pathname.endsWith('/login') || !hasUnsavedWork()) return false;
    // A form that closes replaces the address of its page.
    if (!isSignedOut())
      return currentLocation.pathname !== nextLocation.pathname || (historyAction !== 'REPLACE' && hasWorkOfTab());
    // `GuardedRoute` would remove the page with the work. End the session when React Router has restored the address: after
    // this function, or after a step in the browser's history, with the next `popstate`.
    if (historyAction === 'POP') window.addEventListener('popstate', endIfSignedOut, { once: true });
    else queueMicrotask(endIfSignedOut);
    return true;
  });
  return (
    <DiscardModal
      opened={blocker.state === 'blocked' && !isSignedOut()}
      title="Leave without saving?"
      stayLabel="Stay"
      discardLabel="Leave without saving"
      onStay={() => blocker.reset?.()}
      onDiscard={() => blocker.proceed?.()}
    >
      {`${unsavedWords()} The changes are lost if you leave.`}
    </DiscardModal>
  );
}
