/** The parts of PostgreSQL's protocol that the router speaks. https://www.postgresql.org/docs/current/protocol.html */

const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
/** PostgreSQL's own limit. */
const MAX_STARTUP_BYTES = 10_000;
const MAX_CANCEL_BYTES = 300;

export type FirstMessage =
  | { kind: 'incomplete' }
  | { kind: 'invalid'; reason: string }
  /** A wish for encryption, which is answered with `N`. */
  | { kind: 'encryption'; bytes: number }
  | { kind: 'cancel'; key: string }
  | { kind: 'startup'; version: number; params: Map<string, string>; bytes: number };

/** Reads what a client sends first. `data` may have further bytes behind it. */
export function readFirstMessage(data: Buffer): FirstMessage {
  if (data.length < 8) return { kind: 'incomplete' };
  const bytes = data.readUInt32BE(0);
  const code = data.readUInt32BE(4);
  if (bytes < 8 || bytes > MAX_STARTUP_BYTES) return { kind: 'invalid', reason: 'invalid length of startup packet' };
  if (code === SSL_REQUEST || code === GSS_REQUEST) {
    return bytes === 8 ? { kind: 'encryption', bytes } : { kind: 'invalid', reason: 'invalid length of request' };
  }
  if (code === CANCEL_REQUEST && bytes > MAX_CANCEL_BYTES) return { kind: 'invalid', reason: 'invalid cancel request' };
  if (code !== CANCEL_REQUEST && code >>> 16 !== 3) {
    return { kind: 'invalid', reason: `unsupported frontend protocol ${code >>> 16}.${code & 0xffff}` };
  }
  if (data.length < bytes) return { kind: 'incomplete' };
  if (code === CANCEL_REQUEST) return { kind: 'cancel', key: data.subarray(8, bytes).toString('hex') };

  // Names and values, each ended by NUL, and a further NUL.
  if (data[bytes - 1] !== 0) return { kind: 'invalid', reason: 'invalid startup packet layout' };
  const parts = data.toString('utf8', 8, bytes).split('\0').slice(0, -2);
  if (parts.length % 2 !== 0) return { kind: 'invalid', reason: 'invalid startup packet layout' };
  const params = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) params.set(String(parts[at]), String(parts[at + 1]));
  return { kind: 'startup', version: code, params, bytes };
}

export function startupMessage(version: number, params: Map<string, string>): Buffer {
  const text = [...params].map(([name, value]) => `${name}\0${value}\0`).join('');
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.writeUInt32BE(version, 4);
  return Buffer.concat([head, body]);
}

export function cancelMessage(key: string): Buffer {
  const body = Buffer.from(key, 'hex');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.writeUInt32BE(CANCEL_REQUEST, 4);
  return Buffer.concat([head, body]);
}

/** Returns a message with a type: a letter, its length, its content. */
export function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

export const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};

export function errorMessage(severity: 'ERROR' | 'FATAL', sqlState: string, text: string): Buffer {
  return message('E', `S${severity}\0V${severity}\0C${sqlState}\0M${text}\0\0`);
}

/** Reads the value of a field of an error message, such as `C` for its SQLSTATE. */
export function errorField(body: Buffer, field: string): string | undefined {
  const found = body
    .toString('utf8')
    .split('\0')
    .find(text => text.startsWith(field));
  return found?.slice(1);
}

export interface TypedMessage {
  type: string;
  body: Buffer;
}

/** Divides a stream into messages with a type. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);

  constructor(private readonly maxBytes: number) {}

  /** Returns the messages that are now complete. @throws Error if one is too long */
  push(chunk: Buffer): TypedMessage[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: TypedMessage[] = [];
    while (this.#rest.length >= 5) {
      const bytes = 1 + this.#rest.readUInt32BE(1);
      if (bytes < 5 || bytes > this.maxBytes) throw new Error('invalid length of message');
      if (this.#rest.length < bytes) break;
      messages.push({ type: this.#rest.toString('latin1', 0, 1), body: this.#rest.subarray(5, bytes) });
      this.#rest = this.#rest.subarray(bytes);
    }
    return messages;
  }
}
