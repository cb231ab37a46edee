import { unreachable } from '../../../api/api-error.js';
import { api } from '../../../api/client.js';
import { loginFailureMessage } from '../../../session/login-message.js';
import type { Session } from '../../../session/session-cookies.js';

export interface Credentials {
  username: string;
  password: string;
}

/** The new session, or the message that says why signing in failed. */
export type SignInResult = { session: Session } | { failure: string };

export async function signIn(credentials: Credentials): Promise<SignInResult> {
  try {
    const { data, error, response } = await api.POST('/panel/login', { body: credentials });
    if (response.status !== 200 || !data) return { failure: loginFailureMessage(error) };
    const { username, role } = data.loggedUser;
    return { session: { username, role, token: data.jwtToken } };
  } catch {
    return { failure: unreachable().message };
  }
}
