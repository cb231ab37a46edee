import { belongsTo, type SessionValue } from '@trawl/contracts';

type Cookie = SessionValue['cookies'][number];
type Fields = Record<string, unknown>;

const HTTP_ONLY = '#HttpOnly_';
const MAX_LISTED = 5;
/** Browsers keep no cookie for longer. */
const MAX_AGE_S = 400 * 24 * 3_600;
const SAME_SITE: Record<string, Cookie['sameSite']> = {
  __proto__: null as never,
  strict: 'Strict',
  lax: 'Lax',
  none: 'None',
  no_restriction: 'None',
};

/** Thrown for a file that is no cookie file. The message is for the person who imports it. */
export class CookieFileError extends Error {}

/**
 * Reads a file with cookies: JSON of a browser extension, a Playwright storage state, an exported session, or the Netscape
 * format. Keeps what belongs to the origins and has not expired.
 *
 * @throws CookieFileError
 */
export function readCookieFile(content: string, origins: readonly string[], userAgent: string | null): SessionValue {
  const text = content.replace(/^\uFEFF/, '').trim();
  const { cookies, states, agent } = /^[[{]/.test(text)
    ? fromJson(text)
    : { cookies: fromNetscape(text), states: [], agent: null };
  const hosts = origins.map(origin => new URL(origin).hostname);
  const now = Date.now() / 1_000;
  const kept = cookies
    .filter(({ domain, expires }) => (expires === -1 || expires > now) && hosts.some(host => belongsTo(domain, host)))
    .map(cookie => ({ ...cookie, expires: Math.min(cookie.expires, Math.floor(now) + MAX_AGE_S) }));
  const own = origins.map(origin => states.find(state => state.origin === origin) ?? empty(origin));
  if (
    kept.length === 0 &&
    own.every(({ localStorage, sessionStorage }) => localStorage.length + sessionStorage.length === 0)
  ) {
    const domains = [...new Set(cookies.map(({ domain }) => domain))];
    const found =
      domains.length === 0 ? 'no cookie' : `cookies of ${domains.slice(0, MAX_LISTED).join(', ').slice(0, 300)}`;
    throw new CookieFileError(
      `content has no cookie of ${origins.slice(0, MAX_LISTED).join(', ')} that has not expired; it has ${found}.`,
    );
  }
  return { cookies: kept, origins: own, userAgent: userAgent ?? agent };
}

const empty = (origin: string): SessionValue['origins'][number] => ({ origin, localStorage: [], sessionStorage: [] });

function fromJson(text: string): { cookies: Cookie[]; states: SessionValue['origins']; agent: string | null } {
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch (error) {
    throw new CookieFileError(`content begins like JSON, and is not: ${(error as Error).message.slice(0, 200)}`);
  }
  const fields = (Array.isArray(sent) ? { cookies: sent } : sent) as Fields;
  if (!Array.isArray(fields.cookies)) {
    throw new CookieFileError('content must be a list of cookies, or an object with a list `cookies`.');
  }
  const origins = Array.isArray(fields.origins) ? fields.origins : [];
  const states = origins.map((state, index) => ({
    origin: textOf(state?.origin, `origin ${index + 1}`),
    localStorage: items(state?.localStorage),
    sessionStorage: items(state?.sessionStorage),
  }));
  return {
    cookies: fields.cookies.map(cookieOf),
    states,
    agent: typeof fields.userAgent === 'string' ? fields.userAgent : null,
  };
}

function cookieOf(sent: unknown, index: number): Cookie {
  const fields = (typeof sent === 'object' && sent !== null ? sent : {}) as Fields;
  const {
    name,
    value,
    domain,
    path = '/',
    hostOnly,
    expires = fields.expirationDate,
    httpOnly,
    secure,
    sameSite,
  } = fields;
  if (typeof name !== 'string' || typeof value !== 'string' || typeof domain !== 'string' || typeof path !== 'string') {
    throw new CookieFileError(`content: cookie ${index + 1} must have \`name\`, \`value\` and \`domain\` as texts.`);
  }
  const bare = domain.replace(/^\./, '');
  return {
    name,
    value,
    domain: hostOnly === true ? bare : hostOnly === false ? `.${bare}` : domain,
    path,
    expires: typeof expires === 'number' && expires > 0 ? Math.floor(expires) : -1,
    httpOnly: httpOnly === true,
    secure: secure === true,
    sameSite: (typeof sameSite === 'string' ? SAME_SITE[sameSite.toLowerCase()] : undefined) ?? 'Lax',
  };
}

function items(sent: unknown): { name: string; value: string }[] {
  if (!Array.isArray(sent)) return [];
  return sent.map((item, index) => ({
    name: textOf(item?.name, `the name of stored item ${index + 1}`),
    value: textOf(item?.value, `the value of stored item ${index + 1}`),
  }));
}

function textOf(sent: unknown, what: string): string {
  if (typeof sent === 'string') return sent;
  throw new CookieFileError(`content: ${what} must be a text.`);
}

/** Reads lines of seven fields with tabs between them: domain, subdomains, path, secure, expires, name, value. */
function fromNetscape(text: string): Cookie[] {
  const cookies: Cookie[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const httpOnly = line.startsWith(HTTP_ONLY);
    const row = httpOnly ? line.slice(HTTP_ONLY.length) : line;
    if (row.trim() === '' || row.startsWith('#')) continue;
    const [domain = '', subdomains, path = '', secure, expires, name, ...value] = row.split('\t');
    if (name === undefined || !/^\d+$/.test(expires ?? '')) {
      throw new CookieFileError(
        `content: line ${index + 1} must have the seven fields of the Netscape format with tabs between them: domain, subdomains, path, secure, expires, name, value.`,
      );
    }
    const bare = domain.replace(/^\./, '');
    cookies.push({
      name,
      value: value.join('\t'),
      domain: subdomains === 'TRUE' ? `.${bare}` : bare,
      path,
      expires: Number(expires) || -1,
      httpOnly,
      secure: secure === 'TRUE',
      sameSite: 'Lax',
    });
  }
  return cookies;
}
