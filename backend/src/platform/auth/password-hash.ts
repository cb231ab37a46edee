import { hash, verify } from '@node-rs/argon2';
import type { Config } from '../common/config.js';

/** Hashes a password with Argon2id. Takes some 50 ms of processor time, so that guessing is slow. */
export function hashPassword(password: string | Buffer, { passwordHash }: Config): Promise<string> {
  return hash(password, passwordHash);
}

/** Tells whether `passwordHash` was made from this password. */
export function isPassword(password: string, passwordHash: string): Promise<boolean> {
  return verify(passwordHash, password);
}
