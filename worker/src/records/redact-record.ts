import { isUtf8 } from 'node:buffer';
import { open, rename, rm } from 'node:fs/promises';
import { packExchange } from './pack-exchange.js';
import { RECORD_HEAD, RECORD_LIMITS, RecordRefused } from './record-format.js';
import { type FoundExchange, RecordReader } from './record-reader.js';

type Redact = (text: string) => string;
/** Redacts a long text without blocking others. */
export type RedactLong = (text: string) => Promise<string>;

/** Size of all bodies together. A run could send bodies that become a thousand times as large. */
const MAX_BODY_BYTES = 8 * RECORD_LIMITS.recordBytes;

/** Redacts a body. */
export function redactedBody(body: Buffer, redact: Redact): Buffer {
  const encoding = encodingOf(body);
  const text = body.toString(encoding);
  const redacted = redact(text);
  return redacted === text ? body : Buffer.from(redacted, encoding);
}

async function redactedLongBody(body: Buffer, redact: RedactLong): Promise<Buffer> {
  const encoding = encodingOf(body);
  const text = body.toString(encoding);
  const redacted = await redact(text);
  return redacted === text ? body : Buffer.from(redacted, encoding);
}

/** In a body that is not UTF-8, each byte counts as a character, so that the other bytes stay as they are. */
const encodingOf = (body: Buffer): 'utf8' | 'latin1' => (isUtf8(body) ? 'utf8' : 'latin1');

/**
 * Redacts a record that is complete. The run could not redact a token that it learnt only after it had recorded the answer
 * with it.
 *
 * @throws RecordRefused
 */
export async function redactRecord(path: string, redact: RedactLong): Promise<void> {
  const reader = await RecordReader.open(path);
  const redacted = `${path}.redacted`;
  try {
    const file = await open(redacted, 'w', 0o600);
    try {
      await file.write(RECORD_HEAD);
      let bytes = 0;
      for await (const found of reader.exchanges()) {
        bytes += found.head.body;
        if (bytes > MAX_BODY_BYTES) {
          const limit = `${MAX_BODY_BYTES / 1024 / 1024} MB`;
          throw new RecordRefused(`Its bodies have more than ${limit} together, too many to redact the session.`);
        }
        await file.write(await redactedExchange(found, await reader.body(found), redact));
      }
    } finally {
      await file.close();
    }
    await rename(redacted, path);
  } finally {
    await reader.close();
    await rm(redacted, { force: true });
  }
}

async function redactedExchange({ head }: FoundExchange, body: Buffer, redact: RedactLong): Promise<Buffer> {
  const { packed: _, body: __, ...exchange } = head;
  const { url, status_text, headers, error } = exchange;
  const redactedHeaders: [string, string][] = [];
  for (const [name, value] of headers) redactedHeaders.push([name, await redact(value)]);
  return packExchange(
    {
      ...exchange,
      url: redactedUrl(url, await redact(url)),
      status_text: await redact(status_text),
      headers: redactedHeaders,
      error: error && (await redact(error)),
    },
    await redactedLongBody(body, redact),
  );
}

/** A value of a session may be the beginning of a URL. What is left must be a URL, or the exchange could not be kept. */
const redactedUrl = (url: string, redacted: string): string =>
  URL.canParse(redacted) ? redacted : `${new URL(url).origin}/${redacted}`;
