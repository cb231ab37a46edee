import { type ReactNode, useMemo } from 'react';
import { createPath, Navigate, useHref, useLocation } from 'react-router';
import { blockReason, dashboardPath } from './guard-rules.js';
import { readSession } from './session-cookies.js';

/** Message on the sign-in page for a user who was redirected there. */
export interface LoginNotice {
  message: string;
  /** True if the message disappears after `GUARD_MESSAGE_MS`; otherwise it stays until the next attempt to sign in. */
  fades: boolean;
}

/** Router state of the sign-in page. */
export interface LoginState {
  notice: LoginNotice | null;
  /** The path that the user wanted, without `/panel`. It opens after signing in, if the user has the role in it. */
  from?: string;
}

/** Returns the path to open after signing in: where the user was, otherwise their dashboard. */
export const pathAfterLogin = (state: LoginState | null, role: string): string =>
  state?.from?.startsWith(`/${role}/`) ? state.from : dashboardPath(role);

/**
 * Shows its children if the role in the URL is the user's role; otherwise redirects to the sign-in page. Checks once for
 * each navigation, so that a page with unsaved work stays until the end of the session has kept the work.
 */
export function GuardedRoute({ children }: { children: ReactNode }) {
  const location = useLocation();
  const pathname = useHref(location.pathname);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation has a new location.
  const reason = useMemo(() => blockReason(readSession(document.cookie), pathname), [location, pathname]);
  if (reason === null) return children;
  const state: LoginState = { notice: { message: reason, fades: true }, from: createPath(location) };
  return <Navigate to="/login" replace state={state} />;
}

/** Opens an address without a role, such as `/panel/skripts`, for the role of the user. Otherwise it would name a role. */
export function AddRole() {
  const location = useLocation();
  const session = readSession(document.cookie);
  if (!session) return <GuardedRoute>{null}</GuardedRoute>;
  return <Navigate to={`/${session.role}${createPath(location)}`} replace />;
}

/** Redirects a signed-in user to their dashboard. */
export function AutoLogin({ children }: { children: ReactNode }) {
  const session = readSession(document.cookie);
  return session ? <Navigate to={dashboardPath(session.role)} replace /> : children;
}
