import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { RECORD_LIMITS, type RecordedExchange } from './record-format.js';

const compress = promisify(gzip);
/** Smaller bodies stay as they are: gzip would gain little. */
const MIN_PACKED_BYTES = 256;
const LINE_END = Buffer.from('\n');

/** Returns an exchange as its bytes in a record; null if it is too large for one. */
export async function packExchange(exchange: RecordedExchange, body: Buffer): Promise<Buffer | null> {
  if (body.length > RECORD_LIMITS.bodyBytes) return null;
  const gz = body.length < MIN_PACKED_BYTES ? body : await compress(body, { level: 4 });
  const packed = gz.length < body.length ? gz : body;
  const head = Buffer.from(`${JSON.stringify({ ...exchange, packed: packed.length, body: body.length })}\n`);
  return head.length > RECORD_LIMITS.headBytes ? null : Buffer.concat([head, packed, LINE_END]);
}
