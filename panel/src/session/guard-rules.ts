import type { Session } from './session-cookies.js';

/** Time for which the sign-in page shows why a route guard sent the user there, in ms. */
export const GUARD_MESSAGE_MS = 2100;

export const NOT_LOGGED_IN = 'This route is blocked because the user is not logged in';
export const WRONG_ROLE = "This route is blocked because the user doesn't have valid role";

/** Returns the role in a URL: the path segment after `/panel/`. */
const roleInPath = (pathname: string): string => pathname.split('/')[2] ?? '';

/** Returns why the user may not open a route, or null if they may. `pathname` is the full path, `/panel/…`. */
export function blockReason(session: Session | null, pathname: string): string | null {
  if (!session) return NOT_LOGGED_IN;
  return roleInPath(pathname) === session.role ? null : WRONG_ROLE;
}

/** Returns the path of the page that opens after signing in, without `/panel`. */
export const dashboardPath = (role: string): string => `/${encodeURIComponent(role)}/dashboard`;
