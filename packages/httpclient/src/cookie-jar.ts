import type { Cookie, CookieJar as ToughJar } from 'tough-cookie';

/** The largest Set-Cookie header that the jar accepts, in characters. Browsers have the same limit. */
const MAX_COOKIE_CHARS = 4096;
const MAX_COOKIES_PER_DOMAIN = 50;
const MAX_COOKIES = 3000;

/**
 * Keeps cookies in memory and sends them back by the rules of browsers. It ignores cookies that break these rules or
 * have more than 4,096 characters, and forgets the oldest beyond 50 of a domain and 3,000 in all.
 */
export class CookieJar {
  readonly #jar: ToughJar;

  /**
   * @param saved the value of `toJSON` of an earlier jar
   * @throws {TypeError} if `saved` is something else
   */
  constructor(saved?: object) {
    // Loading tough-cookie takes longer than loading the rest of the client, and many clients keep no cookies.
    const { CookieJar: Jar } = require('tough-cookie') as typeof import('tough-cookie');
    try {
      this.#jar = saved ? Jar.deserializeSync(JSON.stringify(saved)) : new Jar();
    } catch (cause) {
      throw new TypeError('The saved cookies are not the value of CookieJar.toJSON().', { cause });
    }
  }

  /** Keeps cookies. @param setCookies values of Set-Cookie headers that the server at `url` sent */
  async setCookies(setCookies: readonly string[], url: string | URL): Promise<void> {
    for (const setCookie of setCookies) {
      if (setCookie.length > MAX_COOKIE_CHARS) continue;
      await this.#jar.setCookie(setCookie, String(url), { ignoreError: true });
    }
    await this.#forgetOldest();
  }

  /** Returns the value of the Cookie header for a request; empty if there is no cookie for it. */
  cookieHeader(url: string | URL): Promise<string> {
    return this.#jar.getCookieString(String(url));
  }

  /** Returns all cookies, session cookies too, as a value for JSON. */
  toJSON(): object {
    return this.#jar.serializeSync() as object;
  }

  async #forgetOldest(): Promise<void> {
    const { store } = this.#jar;
    const cookies: Cookie[] = await store.getAllCookies();
    const perDomain = new Map<string | null, number>();
    for (const [index, { domain, path, key }] of cookies.reverse().entries()) {
      const count = (perDomain.get(domain) ?? 0) + 1;
      perDomain.set(domain, count);
      if (count > MAX_COOKIES_PER_DOMAIN || index >= MAX_COOKIES)
        await store.removeCookie(domain ?? '', path ?? '', key);
    }
  }
}
