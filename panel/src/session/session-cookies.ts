/** Lifetime of the cookies and of the token in them. */
export const SESSION_SECONDS = 5 * 60 * 60;

export interface Session {
  username: string;
  role: string;
  token: string;
}

const COOKIE_NAMES = ['username', 'role', 'token'] as const;

function parseCookies(cookieText: string): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of cookieText.split(';')) {
    const at = pair.indexOf('=');
    const name = (at === -1 ? pair : pair.slice(0, at)).trim();
    if (name !== '') cookies.set(name, at === -1 ? '' : pair.slice(at + 1).trim());
  }
  return cookies;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // The panel did not write this value, so treat the cookie as missing.
    return '';
  }
}

/** Reads the session from a `document.cookie` text; null unless all three cookies exist. */
export function readSession(cookieText: string): Session | null {
  const cookies = parseCookies(cookieText);
  const [username, role, token] = COOKIE_NAMES.map(name => decode(cookies.get(name) ?? ''));
  return username && role && token ? { username, role, token } : null;
}

/** Returns the texts that save the session as cookies when each is assigned to `document.cookie`. */
export const sessionCookies = (session: Session): string[] =>
  COOKIE_NAMES.map(
    name => `${name}=${encodeURIComponent(session[name])}; Max-Age=${SESSION_SECONDS}; Path=/; SameSite=Strict`,
  );

/** Returns the texts that delete all cookies in `cookieText` when each is assigned to `document.cookie`. */
export const expiredCookies = (cookieText: string): string[] =>
  [...parseCookies(cookieText).keys()].map(name => `${name}=; Max-Age=0; Path=/; SameSite=Strict`);

function writeCookies(texts: string[]): void {
  for (const text of texts) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing outside secure contexts.
    document.cookie = text;
  }
}

export const storeSession = (session: Session): void => writeCookies(sessionCookies(session));

export const clearCookies = (): void => writeCookies(expiredCookies(document.cookie));
