import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'trk_';
const KEY_BYTES = 32;

export const newApiKey = (): string => PREFIX + randomBytes(KEY_BYTES).toString('base64url');

/**
 * Returns whether the token is an API key (true) or a session token (false). Looks only at the prefix; does not check
 * whether the key exists.
 */
export const isApiKey = (token: string): boolean => token.startsWith(PREFIX);

/**
 * Only this hash of a key is stored. A plain SHA-256 is enough: keys are long and random, so nobody can find a key for
 * a hash by trying.
 */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest();
