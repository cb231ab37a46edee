import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { closeLiveSocket } from '../../../live/live-socket.js';
import type { LoginState } from '../../../session/guards.js';
import { clearCookies } from '../../../session/session-cookies.js';
import { forgetSessionEnd } from '../../../session/session-end.js';

/** Returns a function that opens the sign-in page with a message, after the server has ended the session as `expectSessionEnd` says. */
export function useSignInAgain(): (message: string) => Promise<void> {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  return async message => {
    closeLiveSocket();
    clearCookies();
    queryClient.clear();
    const state: LoginState = { notice: { message, fades: false } };
    await navigate('/login', { replace: true, state });
    forgetSessionEnd();
  };
}
