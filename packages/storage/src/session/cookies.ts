import { Cookie, CookieJar } from 'tough-cookie';
import type { SessionCookie } from './session-value.js';

/** The largest Set-Cookie header that is kept, in characters. Browsers have the same limit. */
const MAX_COOKIE_CHARS = 4_096;
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/** The cookies of a session, which follow the rules of browsers. */
export class SessionCookies {
  #jar = new CookieJar(null, { allowSpecialUseDomain: true, rejectPublicSuffixes: true });

  /** Replaces all cookies. Leaves out those that no site may set. */
  replace(cookies: readonly SessionCookie[]): void {
    this.#jar = new CookieJar(null, { allowSpecialUseDomain: true, rejectPublicSuffixes: true });
    for (const { name, value, domain, path, expires, httpOnly, secure, sameSite } of cookies) {
      const host = domain.replace(/^\./, '');
      const cookie = new Cookie({
        key: name,
        value,
        path,
        httpOnly,
        secure,
        sameSite: sameSite.toLowerCase(),
        expires: expires === -1 ? 'Infinity' : new Date(expires * 1_000),
        ...(domain.startsWith('.') && { domain: host }),
      });
      this.#jar.setCookieSync(cookie, `https://${host}${path}`, { ignoreError: true });
    }
  }

  /** Returns the value of the Cookie header for a request; empty if there is no cookie for it. */
  header(url: string): string {
    return this.#jar.getCookieStringSync(url);
  }

  /** Keeps the cookies of an answer. Ignores those that the server may not set. */
  set(setCookies: readonly string[], url: string): void {
    for (const setCookie of setCookies) {
      if (setCookie.length <= MAX_COOKIE_CHARS) this.#jar.setCookieSync(setCookie, url, { ignoreError: true });
    }
  }

  get list(): SessionCookie[] {
    const { cookies } = this.#jar.serializeSync() ?? { cookies: [] };
    return cookies.map(stored => {
      const cookie = Cookie.fromJSON(stored) as Cookie;
      const end = cookie.expiryDate();
      return {
        name: cookie.key,
        value: cookie.value,
        domain: `${cookie.hostOnly ? '' : '.'}${cookie.domain}`,
        path: cookie.path ?? '/',
        expires: end && Number.isFinite(end.getTime()) ? Math.floor(end.getTime() / 1_000) : -1,
        httpOnly: cookie.httpOnly,
        secure: cookie.secure,
        sameSite: SAME_SITE[cookie.sameSite as keyof typeof SAME_SITE] ?? 'Lax',
      };
    });
  }
}
