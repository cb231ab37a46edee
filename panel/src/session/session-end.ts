import { clearCookies } from './session-cookies.js';

type Listener = () => void;
const listeners = new Set<Listener>();

/** Called when the server no longer takes the token. */
export function endSession(): void {
  clearCookies();
  for (const listener of listeners) listener();
}

/** Answers the function that stops listening. */
export function onSessionEnd(listener: Listener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
