import type { Session } from './session-cookies.js';

/** How long a guard's message stands on /panel/login. */
export const GUARD_MESSAGE_MS = 2100;

export const NOT_LOGGED_IN = 'This route is blocked because the user is not logged in';
export const WRONG_ROLE = "This route is blocked because the user doesn't have valid role";

/** The path segment after `/panel/`. */
const roleInPath = (pathname: string): string => pathname.split('/')[2] ?? '';

/** Why a route is blocked, or null when it is open. `pathname` is the whole path, `/panel/…`. */
export function blockedBecause(session: Session | null, pathname: string): string | null {
  if (!session) return NOT_LOGGED_IN;
  return roleInPath(pathname) === session.role ? null : WRONG_ROLE;
}

/** Where somebody goes after logging in, below `/panel`. */
export const dashboardOf = (role: string): string => `/${encodeURIComponent(role)}/dashboard`;
