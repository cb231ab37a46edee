import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';

export const MECHANISM = 'SCRAM-SHA-256';
const ITERATIONS = 4_096;

/** What a server knows of a password. */
export interface ScramVerifier {
  salt: Buffer;
  storedKey: Buffer;
  serverKey: Buffer;
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (data: Buffer): Buffer => createHash('sha256').update(data).digest();

export function scramVerifier(password: string): ScramVerifier {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256');
  return { salt, storedKey: sha256(hmac(salted, 'Client Key')), serverKey: hmac(salted, 'Server Key') };
}

/** The server's side of one authentication with SCRAM-SHA-256 (RFC 5802), without channel binding. */
export class ScramServer {
  #bare = '';
  #header = '';
  #first = '';
  #nonce = '';

  constructor(private readonly verifier: ScramVerifier) {}

  /** Answers the client's first message; undefined if it is invalid. */
  begin(clientFirst: string): string | undefined {
    const match = /^([ny],,)((?:n=[^,]*),r=([\x21-\x2b\x2d-\x7e]{1,256}))$/.exec(clientFirst);
    if (!match) return undefined;
    this.#header = String(match[1]);
    this.#bare = String(match[2]);
    this.#nonce = `${match[3]}${randomBytes(18).toString('base64')}`;
    this.#first = `r=${this.#nonce},s=${this.verifier.salt.toString('base64')},i=${ITERATIONS}`;
    return this.#first;
  }

  /** Answers the client's last message; undefined if the password is wrong. */
  finish(clientFinal: string): string | undefined {
    const match = /^((c=[^,]*),(r=[^,]*)),p=([A-Za-z0-9+/=]{1,64})$/.exec(clientFinal);
    if (!match) return undefined;
    const [, withoutProof, binding, nonce, proofText] = match;
    if (binding !== `c=${Buffer.from(this.#header).toString('base64')}` || nonce !== `r=${this.#nonce}`)
      return undefined;
    const text = `${this.#bare},${this.#first},${withoutProof}`;
    const signature = hmac(this.verifier.storedKey, text);
    const proof = Buffer.from(String(proofText), 'base64');
    if (proof.length !== signature.length) return undefined;
    const clientKey = Buffer.from(proof.map((byte, at) => byte ^ Number(signature[at])));
    if (!timingSafeEqual(sha256(clientKey), this.verifier.storedKey)) return undefined;
    return `v=${hmac(this.verifier.serverKey, text).toString('base64')}`;
  }
}
