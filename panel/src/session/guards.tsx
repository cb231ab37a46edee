import type { ReactNode } from 'react';
import { Navigate, useHref, useLocation } from 'react-router';
import { blockReason, dashboardPath } from './guard-rules.js';
import { readSession } from './session-cookies.js';

/** Message on the sign-in page for a user who was redirected there. */
export interface LoginNotice {
  message: string;
  /** True if the message disappears after `GUARD_MESSAGE_MS`; otherwise it stays until the next attempt to sign in. */
  fades: boolean;
}

/** Shows its children if the role in the URL is the user's role; otherwise redirects to the sign-in page. */
export function GuardedRoute({ children }: { children: ReactNode }) {
  const pathname = useHref(useLocation().pathname);
  const reason = blockReason(readSession(document.cookie), pathname);
  if (reason === null) return children;
  const notice: LoginNotice = { message: reason, fades: true };
  return <Navigate to="/login" replace state={notice} />;
}

/** Redirects a signed-in user to their dashboard. */
export function AutoLogin({ children }: { children: ReactNode }) {
  const session = readSession(document.cookie);
  return session ? <Navigate to={dashboardPath(session.role)} replace /> : children;
}
