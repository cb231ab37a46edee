import { createHash } from 'node:crypto';
import type { HeaderPair } from '@trawl/contracts';
import { type RequestKey, withPlainPlaceholders } from '../../records/record-format.js';
import type { RecordRedaction } from './record-redaction.js';

const BOUNDARY = /boundary="?([^";]+)"?/i;

/** Returns what a replay compares of a request. Secrets and the random boundary of a form count as equal. */
export function requestKey(
  { method, url, headers, body }: { method: string; url: string; headers: readonly HeaderPair[]; body: Uint8Array },
  redaction: RecordRedaction,
): RequestKey {
  const address = new URL(url);
  Object.assign(address, { hash: '', username: '', password: '' });
  return {
    method: method.toUpperCase(),
    url: redaction.text(address.href),
    request:
      body.length === 0
        ? ''
        : createHash('sha256')
            .update(bodyText(headers, body, redaction))
            .digest('hex'),
  };
}

function bodyText(headers: readonly HeaderPair[], body: Uint8Array, redaction: RecordRedaction): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const text = Buffer.from(body).toString('latin1');
  const boundary = type.startsWith('multipart/') ? BOUNDARY.exec(type)?.[1] : undefined;
  const form = boundary ? text.replaceAll(boundary, 'boundary') : text;
  // Redaction needs characters, and a body that is no text must stay as it is.
  return withPlainPlaceholders(redaction.text(Buffer.from(form, 'latin1').toString('utf8')));
}
