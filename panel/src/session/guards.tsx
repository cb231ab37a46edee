import type { ReactNode } from 'react';
import { Navigate, useHref, useLocation } from 'react-router';
import { blockedBecause, dashboardOf } from './guard-rules.js';
import { readSession } from './session-cookies.js';

/** What the sign-in page is told by whoever sends a person there. */
export interface LoginNotice {
  message: string;
  /** Guards' messages go by themselves; others stay until the next attempt. */
  fades: boolean;
}

/** Opens its children only to the account whose role is in the address. */
export function GuardedRoute({ children }: { children: ReactNode }) {
  const pathname = useHref(useLocation().pathname);
  const reason = blockedBecause(readSession(document.cookie), pathname);
  if (reason === null) return children;
  const notice: LoginNotice = { message: reason, fades: true };
  return <Navigate to="/login" replace state={notice} />;
}

/** Sends who is logged in already to their dashboard. */
export function AutoLogin({ children }: { children: ReactNode }) {
  const session = readSession(document.cookie);
  return session ? <Navigate to={dashboardOf(session.role)} replace /> : children;
}
