import { clearCookies } from './session-cookies.js';

type Listener = () => void;
const listeners = new Set<Listener>();

/** Deletes the cookies and tells all listeners. Call it when the server rejects the token. */
export function endSession(): void {
  clearCookies();
  for (const listener of listeners) listener();
}

/** Adds a listener for the end of the session. Returns a function that removes it. */
export function onSessionEnd(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
