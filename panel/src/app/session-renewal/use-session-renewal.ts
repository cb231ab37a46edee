import { useEffect } from 'react';

const INTERVAL_MS = 5 * 60_000;
const ACTIVITY = ['pointerdown', 'keydown'] as const;

/** Keeps the session alive while the user does something: the panel's own requests do not count. */
export function useSessionRenewal(): void {
  useEffect(() => {
    let next = 0;
    const onActivity = () => {
      if (Date.now() < next) return;
      next = Date.now() + INTERVAL_MS;
      // A failed renewal is repeated at the next activity. If the session has ended, the user is at the sign-in page.
      import('./renew-session.js').then(({ renewSession }) => renewSession()).catch(() => (next = 0));
    };
    for (const event of ACTIVITY) window.addEventListener(event, onActivity);
    return () => {
      for (const event of ACTIVITY) window.removeEventListener(event, onActivity);
    };
  }, []);
}
