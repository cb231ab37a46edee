import { isUtf8 } from 'node:buffer';
import { Cookie, CookieJar } from 'tough-cookie';
import { MAX_AGE_MS } from './session-options.js';
import type { SessionCookie } from './session-value.js';

/** The largest Set-Cookie header that is kept, in characters. Browsers have the same limit. */
const MAX_COOKIE_CHARS = 4_096;
/** A semicolon and each control character but tab: browsers refuse cookies with them, and no header can have them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f;]/;
/** Values that browsers refuse in a cookie without a name. */
const NEEDS_NAME = /^(?:$|__(?:Host|Secure)-)/i;
const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const;

/** The cookies of a session, which follow the rules of browsers. */
export class SessionCookies {
  #jar = new CookieJar(null, { allowSpecialUseDomain: true, rejectPublicSuffixes: true });

  /** Replaces all cookies. Leaves out those that no site may set. */
  replace(cookies: readonly SessionCookie[]): void {
    this.#jar = new CookieJar(null, { allowSpecialUseDomain: true, rejectPublicSuffixes: true });
    for (const { name, value, domain, path, expires, httpOnly, secure, sameSite } of cookies) {
      if (!isSendable(name, value, domain + path)) continue;
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

  /**
   * Returns the value of the Cookie header for a request; empty if there is no cookie for it. Each character is one byte,
   * as in all headers of `fetch`. Like browsers, it has other characters than ASCII in UTF-8.
   */
  header(url: string): string {
    return Buffer.from(this.#jar.getCookieStringSync(url)).toString('latin1');
  }

  /** Keeps the cookies of an answer. Ignores those that the server may not set. */
  set(setCookies: readonly string[], url: string): void {
    for (const setCookie of setCookies) {
      const cookie = setCookie.length <= MAX_COOKIE_CHARS ? parse(fromBytes(setCookie)) : undefined;
      if (cookie && isSendable(cookie.key, cookie.value))
        this.#jar.setCookieSync(withEnd(cookie), url, { ignoreError: true });
    }
  }

  /** The cookies that have not expired. */
  get list(): SessionCookie[] {
    const { cookies } = this.#jar.serializeSync() ?? { cookies: [] };
    const now = Date.now() / 1_000;
    return cookies.map(stored => toSession(Cookie.fromJSON(stored) as Cookie)).filter(isValidAt(now));
  }
}

/** Decodes a header in which each character is one byte, if the bytes are UTF-8. */
function fromBytes(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) && bytes.toString('latin1') === header ? bytes.toString() : header;
}

/** Parses a header as browsers do, which also take a cookie without a name. */
const parse = (header: string): Cookie | undefined => Cookie.parse(header, { loose: true });

const isSendable = (name: string, value: string, others = ''): boolean =>
  !UNSENDABLE.test(name + value + others) && !name.includes('=') && !(name === '' && NEEDS_NAME.test(value));

const isValidAt =
  (seconds: number) =>
  ({ expires }: SessionCookie): boolean =>
    expires === -1 || expires > seconds;

function toSession(cookie: Cookie): SessionCookie {
  return {
    name: cookie.key,
    value: cookie.value,
    domain: `${cookie.hostOnly ? '' : '.'}${cookie.domain}`,
    path: cookie.path ?? '/',
    expires: cookie.isPersistent() ? Math.floor((cookie.expiryTime() ?? 0) / 1_000) : -1,
    httpOnly: cookie.httpOnly,
    secure: cookie.secure,
    sameSite: SAME_SITE[cookie.sameSite as keyof typeof SAME_SITE] ?? 'Lax',
  };
}

/** Gives a cookie that has just arrived the time of its end. The library would count `Max-Age` from the last use. */
function withEnd(cookie: Cookie): Cookie {
  const now = Date.now();
  if (!cookie.isPersistent()) return cookie;
  const end = Math.min(cookie.expiryTime(new Date(now)) ?? 0, now + MAX_AGE_MS);
  cookie.maxAge = null;
  cookie.expires = new Date(Math.max(end, 0));
  return cookie;
}
