import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets before they are stored, with AES-256-GCM and a key derived from `TRAWL_SECRET`. A secret can be
 * decrypted only together with the id of its row.
 */
@Injectable()
export class SecretBox {
  readonly #sealKey: Buffer;
  readonly #digestKey: Buffer;

  constructor(@Inject(CONFIG) config: Config) {
    this.#sealKey = derive(config.secret, 'trawl secrets at rest');
    this.#digestKey = derive(config.secret, 'trawl digests');
  }

  /** Returns nonce, tag and ciphertext, concatenated. */
  seal(text: string, rowId: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealKey, nonce).setAAD(Buffer.from(rowId));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws when the text was sealed with another key or for another row. */
  open(sealed: Buffer, rowId: string): string {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#sealKey, nonce).setAAD(Buffer.from(rowId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  }

  /** Returns a keyed digest, to compare texts without storing them. */
  digest(...parts: string[]): Buffer {
    const hmac = createHmac('sha256', this.#digestKey);
    for (const part of parts) hmac.update(`${Buffer.byteLength(part)}:`).update(part);
    return hmac.digest();
  }
}

/** Derives a key of 32 bytes for one purpose. */
export const derive = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
