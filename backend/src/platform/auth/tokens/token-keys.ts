import { createSecretKey, type KeyObject } from 'node:crypto';
import type { JwtService } from '@nestjs/jwt';
import type { SecretBox } from '../../common/secret-box.service.js';

/**
 * Returns the keys for session tokens: the first signs, and all verify. With a Buffer, jsonwebtoken would try to read a
 * public or private key from it in each call, which takes longer than the signature itself.
 */
function tokenKeys(box: SecretBox): Buffer[] {
  const keys: KeyObject[] = box.tokenKeys.map(key => createSecretKey(key));
  // The types do not know that jsonwebtoken, which gets them, also takes a KeyObject.
  return keys as unknown as Buffer[];
}

export const signingKey = (box: SecretBox): Buffer => tokenKeys(box)[0] as Buffer;

/** Returns the key that verifies a token. While the secret is rotated, that is the one with which it was signed. */
export function verifyingKey(token: string, box: SecretBox, jwt: JwtService): Buffer {
  const [current, other] = tokenKeys(box) as [Buffer, Buffer?];
  if (!other) return current;
  try {
    jwt.verify(token, { secret: current, ignoreExpiration: true });
    return current;
  } catch {
    return other;
  }
}
