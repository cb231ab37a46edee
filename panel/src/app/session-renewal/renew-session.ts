import { api, unwrap } from '../../api/client.js';
import { readSession, storeSession } from '../../session/session-cookies.js';

/** Replaces the token of the session by a new one. */
export async function renewSession(): Promise<void> {
  const session = readSession(document.cookie);
  if (!session) return;
  const { jwtToken } = await unwrap(api.POST('/joint-api/account/sessions/renew'));
  // Meanwhile the user may have signed out, or somebody else has signed in.
  if (readSession(document.cookie)?.token === session.token) storeSession({ ...session, token: jwtToken });
}
