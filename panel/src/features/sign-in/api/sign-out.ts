import { toApiError, unreachable } from '../../../api/api-error.js';
import { api } from '../../../api/client.js';
import { clearCookies } from '../../../session/session-cookies.js';

/** How long "Signing out…" stays on the screen. */
export const SIGN_OUT_DELAY_MS = 500;

/**
 * Ends the session on the server and deletes the cookies, then waits `delayMs`. Rejects if the request failed; the
 * cookies are deleted anyway.
 */
export async function signOut(delayMs: number): Promise<void> {
  const answer = await api.POST('/panel/logout').catch(() => null);
  clearCookies();
  sessionStorage.clear();
  await new Promise(resolve => setTimeout(resolve, delayMs));
  if (!answer) throw unreachable();
  // Status 401 is no failure: the session had already ended.
  if (!answer.response.ok && answer.response.status !== 401) throw toApiError(answer.error, answer.response.status);
}
