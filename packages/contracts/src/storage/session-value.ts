import * as z from 'zod';
import { LIMITS } from '../limits/limits.js';

/** A name of a session, which is also that of its file outside the platform. */
export const SESSION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const SESSION_NAME_EXPECTED =
  '1 to 100 letters, digits, dots, hyphens and underscores, of which the first is a letter or digit';

export const SAME_SITES = ['Strict', 'Lax', 'None'] as const;

const MAX_COOKIES = 3_000;
const MAX_ORIGINS = 50;
const MAX_ITEMS = 5_000;
/** Maximum length of the name of a cookie in an error. */
const MAX_SHOWN_CHARS = 60;
/** The last second of the year 9999. */
const MAX_SECONDS = 253_402_300_799;

/** Matches a semicolon and each control character but tab: browsers refuse cookies with them, and no header can have them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f;]/;
const sendable = (max: number) =>
  z
    .string()
    .max(max)
    .refine(text => !UNSENDABLE.test(text), 'expected no semicolon, no line break and no control character but tab');
/** Values that browsers refuse in a cookie without a name. */
const NEEDS_NAME = /^(?:$|__(?:Host|Secure)-)/i;
const cookie = z
  .strictObject({
    name: sendable(4_096).refine(name => !name.includes('='), 'expected no equals sign'),
    value: sendable(4_096),
    /** Begins with a dot if subdomains get the cookie, too. */
    domain: sendable(255).regex(/^\.?[^\s./]+(\.[^\s./]+)*$/, 'expected a domain, such as shop.example'),
    path: sendable(2_048).startsWith('/'),
    /** Seconds since 1970; -1 for a cookie that ends with the browser. */
    expires: z.number().min(-1).max(MAX_SECONDS),
    httpOnly: z.boolean(),
    secure: z.boolean(),
    sameSite: z.enum(SAME_SITES),
  })
  .refine(
    ({ name, value }) => name !== '' || !NEEDS_NAME.test(value),
    'expected a name, or a value that is not empty and does not begin with __Host- or __Secure-',
  );
const items = z.array(z.strictObject({ name: z.string(), value: z.string() })).max(MAX_ITEMS);
const isOrigin = (origin: string): boolean =>
  /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin;
const originState = z.strictObject({
  origin: z.string().max(300).refine(isOrigin, 'expected an origin, such as https://shop.example'),
  localStorage: items,
  sessionStorage: items,
});

/** The value of a session, in the format of a Playwright storage state, with two more fields. */
export const sessionValueSchema = z
  .strictObject({
    cookies: z.array(cookie).max(MAX_COOKIES),
    origins: z.array(originState).max(MAX_ORIGINS),
    userAgent: z
      .string()
      .regex(/^[\x20-\x7e]{1,1000}$/, 'expected 1 to 1,000 ASCII characters in one line')
      .nullable(),
    /** Seconds since 1970 after which runs log in again, also if the cookies last longer. */
    expires: z.number().min(0).max(MAX_SECONDS).optional(),
  })
  .superRefine(({ cookies, origins }, context) => {
    const hosts = origins.map(({ origin }) => new URL(origin).hostname);
    for (const { name, domain } of cookies) {
      if (hosts.some(host => belongsTo(domain, host))) continue;
      const message = `The cookie ${name.slice(0, MAX_SHOWN_CHARS)} is for ${domain}, which none of the origins of the session belongs to`;
      context.addIssue({ code: 'custom', path: ['cookies'], message });
      return;
    }
  });
export type SessionValue = z.infer<typeof sessionValueSchema>;

/** Whether a host, or one of its subdomains, gets the cookies of a domain. */
export function belongsTo(domain: string, host: string): boolean {
  const bare = domain.replace(/^\./, '').toLowerCase();
  return bare === host || host.endsWith(`.${bare}`) || bare.endsWith(`.${host}`);
}

/**
 * Returns when a session expires: with its last cookie, or before, if the run that logged in said so. Null if that is not
 * known, because a cookie or an item of storage ends only with the browser or never.
 */
export function sessionEnd({ cookies, origins, expires = Infinity }: SessionValue): Date | null {
  const isEndless =
    cookies.length === 0 ||
    cookies.some(cookie => cookie.expires === -1) ||
    origins.some(({ localStorage, sessionStorage }) => localStorage.length + sessionStorage.length > 0);
  const end = Math.min(expires, isEndless ? Infinity : Math.max(...cookies.map(cookie => cookie.expires)));
  return end === Infinity ? null : new Date(end * 1_000);
}

/** Parses the value of a session. Returns a text for people if it is not one. */
export function parseSessionValue(json: string): { value: SessionValue } | { problem: string; isTooLarge: boolean } {
  const bytes = new TextEncoder().encode(json).length;
  if (bytes > LIMITS.sessionBytes) {
    const problem = `The value of the session is ${bytes} bytes as JSON; the limit is ${LIMITS.sessionBytes}.`;
    return { problem, isTooLarge: true };
  }
  let sent: unknown;
  try {
    sent = JSON.parse(json);
  } catch {
    return { problem: 'The value of the session is not JSON.', isTooLarge: false };
  }
  const parsed = sessionValueSchema.safeParse(sent);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const place = path.length > 0 ? ` at ${path.join('.')}${cookieName(sent, path)}` : '';
  return { problem: `The value of the session is not valid${place}: ${issue?.message}.`, isTooLarge: false };
}

/** Returns a text with the name of the cookie that a path in a value leads to; empty if it leads to none. */
function cookieName(value: unknown, [field, index]: readonly PropertyKey[]): string {
  if (field !== 'cookies' || typeof index !== 'number') return '';
  const { name } = (value as { cookies: { name?: unknown }[] }).cookies[index] ?? {};
  return typeof name === 'string' ? `, of the cookie ${JSON.stringify(name.slice(0, MAX_SHOWN_CHARS))}` : '';
}
