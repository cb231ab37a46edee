import { clearCookies } from './session-cookies.js';

type Listener = () => void;
const listeners = new Set<Listener>();
/** While the user makes a change that ends the session, and whether it has ended since. */
const change = { isExpected: false, hasEnded: false };

/** Deletes the cookies and tells all listeners. Call it when the server rejects the token. */
export function endSession(): void {
  if (change.isExpected) {
    change.hasEnded = true;
    return;
  }
  clearCookies();
  for (const listener of listeners) listener();
}

/**
 * Sends a change that ends the session on the server. Other calls may hear of the end before the change is answered, so
 * `endSession` waits: if the change fails, it does its work then. Otherwise the caller says why the session has ended,
 * and calls `forgetSessionEnd`.
 */
export async function expectSessionEnd<T>(send: () => Promise<T>): Promise<T> {
  Object.assign(change, { isExpected: true, hasEnded: false });
  try {
    return await send();
  } catch (error) {
    forgetSessionEnd();
    if (change.hasEnded) endSession();
    throw error;
  }
}

export function forgetSessionEnd(): void {
  change.isExpected = false;
}

/** Adds a listener for the end of the session. Returns a function that removes it. */
export function onSessionEnd(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
