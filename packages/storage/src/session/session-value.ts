import { StorageError } from '../protocol/storage-error.js';

/** A cookie as Playwright and the DevTools of browsers write it. */
export interface SessionCookie {
  name: string;
  value: string;
  /** Begins with a dot if subdomains get the cookie, too. */
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
  /** Seconds since 1970 after which runs log in again, also if the cookies last longer. */
  expires?: number;
}

/** Maximum number of origins, and size of a value as JSON text. The platform refuses more. */
const MAX_ORIGINS = 50;
export const MAX_VALUE_BYTES = 384 * 1024;

/**
 * Encodes a value for the platform.
 *
 * @param what the session, for errors
 * @throws {StorageError} `storage_too_large`
 */
export function encodeValue(value: SessionValue, what: string): string {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_VALUE_BYTES) {
    throw tooLarge(`${what}: the cookies and storage are ${bytes} bytes as JSON; the limit is ${MAX_VALUE_BYTES}.`);
  }
  const { length } = value.origins;
  if (length > MAX_ORIGINS) {
    throw tooLarge(
      `${what}: it has cookies and storage of ${length} origins; the limit is ${MAX_ORIGINS}. Use it only for the site of the login.`,
    );
  }
  return text;
}

const tooLarge = (message: string): StorageError => new StorageError('storage_too_large', message);

/** Whether a host, or one of its subdomains, gets the cookies of a domain. */
export function belongsTo(domain: string, host: string): boolean {
  const bare = domain.replace(/^\./, '').toLowerCase();
  return bare === host || host.endsWith(`.${bare}`) || bare.endsWith(`.${host}`);
}

export const hasItems = ({ localStorage, sessionStorage }: OriginState): boolean =>
  localStorage.length + sessionStorage.length > 0;

/** Whether runs must log in: the value has nothing, or it has expired. Its cookies have not. */
export const isOver = (value: SessionValue): boolean =>
  isEmpty(value) || (value.expires !== undefined && value.expires * 1_000 <= Date.now());

export const isEmpty = ({ cookies, origins }: SessionValue): boolean => cookies.length === 0 && !origins.some(hasItems);

/** The platform's answer when a run opens a session. */
export interface Opened {
  version: string | null;
  /** Missing if the run has this version. */
  value?: string;
  /** Whether the run has the lease of the login. */
  taken: boolean;
}
