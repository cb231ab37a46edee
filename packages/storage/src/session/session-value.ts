/** A cookie as Playwright and the DevTools of browsers write it. */
export interface SessionCookie {
  name: string;
  value: string;
  /** With a dot at its begin if subdomains get the cookie, too. */
  domain: string;
  path: string;
  /** Seconds since 1970; -1 for a cookie that ends with the browser. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Strict' | 'Lax' | 'None';
}

export interface StoredItem {
  name: string;
  value: string;
}

export interface OriginState {
  origin: string;
  localStorage: StoredItem[];
  sessionStorage: StoredItem[];
}

/** The value of a session, in the format of a Playwright storage state, with two more fields. */
export interface SessionValue {
  cookies: SessionCookie[];
  origins: OriginState[];
  userAgent: string | null;
}

/** Maximum size of a value as JSON text. The platform refuses larger ones. */
export const MAX_VALUE_BYTES = 384 * 1024;

/** Whether a host, or one of its subdomains, gets the cookies of a domain. */
export function belongsTo(domain: string, host: string): boolean {
  const bare = domain.replace(/^\./, '').toLowerCase();
  return bare === host || host.endsWith(`.${bare}`) || bare.endsWith(`.${host}`);
}

/** Returns the time at which the last cookie ends, in ms; null if one of them, or an item of storage, never does. */
export function endOf({ cookies, origins }: SessionValue): number | null {
  const hasStorage = origins.some(
    ({ localStorage, sessionStorage }) => localStorage.length + sessionStorage.length > 0,
  );
  if (hasStorage || cookies.length === 0 || cookies.some(({ expires }) => expires === -1)) return null;
  return Math.max(...cookies.map(({ expires }) => expires * 1_000));
}

export const isEmpty = ({ cookies, origins }: SessionValue): boolean =>
  cookies.length === 0 &&
  origins.every(({ localStorage, sessionStorage }) => localStorage.length + sessionStorage.length === 0);
