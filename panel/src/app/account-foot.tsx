import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { messageOf } from '../api/api-error.js';
import { DiscardModal } from '../components/unsaved/discard-modal.js';
import { hasUnsavedWork, unsavedWords } from '../components/unsaved/unsaved-work.js';
import { SIGN_OUT_DELAY_MS, signOut } from '../features/sign-in/api/sign-out.js';
import { closeLiveSocket } from '../live/live-socket.js';
import type { LoginNotice, LoginState } from '../session/guards.js';
import { readSession } from '../session/session-cookies.js';

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const other = scheme === 'dark' ? 'light' : 'dark';
  const Icon = scheme === 'dark' ? IconSun : IconMoon;
  return (
    <ActionIcon
      variant="transparent"
      className="shell-button"
      onClick={() => setColorScheme(other)}
      title={`Use the ${other} scheme`}
      aria-label={`Use the ${other} scheme`}
    >
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}

/** Shows the signed-in user, the colour scheme switch and the sign-out button. */
export function AccountFoot() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isLeaving, setLeaving] = useState(false);
  const [isAsking, setAsking] = useState(false);
  // Read the session only once: signing out deletes the cookies while the user's name is still shown here.
  const [session] = useState(() => readSession(document.cookie));

  const leave = async () => {
    setAsking(false);
    setLeaving(true);
    closeLiveSocket();
    const failure = await signOut(SIGN_OUT_DELAY_MS).then(() => null, messageOf);
    const notice: LoginNotice | null =
      failure === null
        ? null
        : {
            message: `You are signed out here, but the server did not confirm it: ${failure} The session expires on its own.`,
            fades: false,
          };
    queryClient.clear();
    const state: LoginState = { notice };
    await navigate('/login', { replace: true, state });
  };

  const askToLeave = () => (hasUnsavedWork() ? setAsking(true) : void leave());
  return (
    <div className="shell-foot">
      <DiscardModal
        opened={isAsking}
        title="Sign out without saving?"
        stayLabel="Stay"
        discardLabel="Sign out without saving"
        onStay={() => setAsking(false)}
        onDiscard={() => void leave()}
      >
        {`${unsavedWords()} The changes are lost if you sign out.`}
      </DiscardModal>
      <Link className="shell-who" to={`/${session?.role}/account`}>
        <strong>{session?.username}</strong>
        <span role="status">{isLeaving ? 'Signing out…' : 'Your account'}</span>
      </Link>
      <SchemeToggle />
      <ActionIcon
        variant="transparent"
        className="shell-button"
        loading={isLeaving}
        onClick={askToLeave}
        title="Sign out"
        aria-label="Sign out"
      >
        <IconLogout size={18} aria-hidden />
      </ActionIcon>
    </div>
  );
}
