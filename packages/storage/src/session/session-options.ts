import { inspect } from 'node:util';
import { checkOptions } from '../check-options.js';

export interface SessionOptions {
  /**
   * Origins whose cookies, `localStorage` and `sessionStorage` the session keeps, besides those that `fetch` calls and that
   * pages show: `['https://login.shop.example']`.
   */
  origins?: string[];
  /** The user agent to which the session belongs. Default: that of the first page, or none. */
  userAgent?: string;
  /** Time in ms after which `check` logs in again. Default: when all cookies have expired. */
  maxAgeMs?: number;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const USER_AGENT = /^[\x20-\x7e]{1,1000}$/;
const MAX_SHOWN_CHARS = 120;
/** Browsers keep no cookie for longer. */
export const MAX_AGE_MS = 400 * 24 * 3_600_000;

/** @throws TypeError if the name or an option is not valid */
export function checkSession(name: unknown, options: SessionOptions): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new TypeError(
      `session: expected a name of 1 to 100 letters, digits, dots, hyphens and underscores, such as 'shop'; you sent ${shown(name)}.`,
    );
  }
  checkOptions(options, `session('${name}')`, "{ origins: ['https://shop.example'] }");
  const { origins = [], userAgent, maxAgeMs } = options;
  if (!Array.isArray(origins) || !origins.every(isOrigin)) {
    throw new TypeError(
      `session('${name}'): \`origins\` must be a list of origins, such as ['https://shop.example']; you sent ${shown(origins)}.`,
    );
  }
  if (userAgent !== undefined && !isUserAgent(userAgent)) {
    throw new TypeError(
      `session('${name}'): \`userAgent\` must be a text of 1 to 1,000 ASCII characters in one line; you sent ${shown(userAgent)}.`,
    );
  }
  if (maxAgeMs !== undefined && !(typeof maxAgeMs === 'number' && maxAgeMs > 0 && maxAgeMs <= MAX_AGE_MS)) {
    throw new TypeError(
      `session('${name}'): \`maxAgeMs\` must be a number of milliseconds from 1 to ${MAX_AGE_MS}, which are 400 days; you sent ${shown(maxAgeMs)}.`,
    );
  }
}

export const isUserAgent = (value: unknown): value is string => typeof value === 'string' && USER_AGENT.test(value);

/**
 * Returns the address of a request.
 *
 * @param call such as `session('shop').fetch`, for the error
 * @throws TypeError if it is none of HTTP
 */
export function addressOf(url: string | URL, call: string): URL {
  const address = URL.canParse(String(url)) ? new URL(url) : null;
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new TypeError(`${call}: expected an address such as 'https://shop.example/orders'; you sent ${shown(url)}.`);
}

const isOrigin = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;

const shown = (value: unknown): string => inspect(value).slice(0, MAX_SHOWN_CHARS);
