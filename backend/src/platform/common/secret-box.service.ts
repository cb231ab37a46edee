import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The keys that are derived from one secret. */
interface Keys {
  /** By which the database recognises the secret. */
  fingerprint: Buffer;
  seal: Buffer;
  digest: Buffer;
  token: Buffer;
}

/**
 * Encrypts secrets before they are stored, with AES-256-GCM and a key derived from `TRAWL_SECRET`. A secret can be
 * decrypted only together with the id of its row.
 *
 * While the secret is rotated, there are two: everything that either of them has encrypted or signed is accepted, and the
 * database says which one is in use. So backends that know only one of them can read all rows until the rotation begins.
 */
@Injectable()
export class SecretBox {
  /** The first is in use. */
  #keys: Keys[];

  constructor(@Inject(CONFIG) { secret, previousSecret }: Pick<Config, 'secret' | 'previousSecret'>) {
    this.#keys = (previousSecret === undefined ? [secret] : [secret, previousSecret]).map(keysOf);
  }

  /** Digests of the secrets, the one in use first. */
  get fingerprints(): Buffer[] {
    return this.#keys.map(({ fingerprint }) => fingerprint);
  }

  /** Keys for session tokens. The first signs, and all verify. */
  get tokenKeys(): Buffer[] {
    return this.#keys.map(({ token }) => token);
  }

  /** Whether there are two secrets. */
  get isRotating(): boolean {
    return this.#keys.length > 1;
  }

  /** Uses the secret with this digest from now on. Returns false if it has none, and then changes nothing. */
  use(fingerprint: Buffer): boolean {
    const chosen = this.#keys.find(keys => keys.fingerprint.equals(fingerprint));
    if (chosen) this.#keys = [chosen, ...this.#keys.filter(keys => keys !== chosen)];
    return chosen !== undefined;
  }

  /** Returns nonce, tag and ciphertext, concatenated. */
  seal(text: string, rowId: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current.seal, nonce).setAAD(Buffer.from(rowId));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws when the text was sealed with another key or for another row. */
  open(sealed: Buffer, rowId: string): string {
    const [first, second] = this.#keys as [Keys, Keys?];
    if (!second) return open(first, sealed, rowId);
    return this.isCurrent(sealed, rowId) ? open(first, sealed, rowId) : open(second, sealed, rowId);
  }

  /** Whether a text was sealed with the secret in use. */
  isCurrent(sealed: Buffer, rowId: string): boolean {
    try {
      open(this.#current, sealed, rowId);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns a keyed digest, to compare texts without storing them. */
  digest(...parts: string[]): Buffer {
    return digestWith(this.#current, parts);
  }

  /** Returns the digest by each secret, the one in use first. Compare with these what may have been stored earlier. */
  digests(...parts: string[]): Buffer[] {
    return this.#keys.map(keys => digestWith(keys, parts));
  }

  get #current(): Keys {
    return this.#keys[0] as Keys;
  }
}

function open({ seal }: Keys, sealed: Buffer, rowId: string): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', seal, nonce).setAAD(Buffer.from(rowId)).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

function digestWith({ digest }: Keys, parts: string[]): Buffer {
  const hmac = createHmac('sha256', digest);
  for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part);
  return hmac.digest();
}

const keysOf = (secret: string): Keys => ({
  fingerprint: secretDigest(secret),
  seal: derive(secret, 'trawl secrets at rest'),
  digest: derive(secret, 'trawl digests'),
  token: derive(secret, 'trawl tokens'),
});

/** Returns the digest by which the database recognises TRAWL_SECRET. It does not reveal the secret. */
export const secretDigest = (secret: string): Buffer =>
  createHash('sha256').update(derive(secret, 'trawl secret of the database')).digest();

/** Derives a key of 32 bytes for one purpose. */
const derive = (secret: string, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
