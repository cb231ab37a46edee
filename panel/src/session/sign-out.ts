import { toApiError, unreachable } from '../api/api-error.js';
import { api } from '../api/client.js';
import { clearCookies } from './session-cookies.js';

/** Time in which the farewell can be read. */
export const SIGN_OUT_DELAY_MS = 500;

/**
 * Ends the session on the server and here, then waits `delayMs`. Rejects when the server could not be told; the
 * cookies are gone in any case.
 */
export async function signOut(delayMs: number): Promise<void> {
  const answer = await api.POST('/panel/logout').catch(() => null);
  clearCookies();
  sessionStorage.clear();
  await new Promise(resolve => setTimeout(resolve, delayMs));
  if (!answer) throw unreachable();
  // 401: the server had ended the session already.
  if (!answer.response.ok && answer.response.status !== 401) throw toApiError(answer.error, answer.response.status);
}
