import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { exchangeHeadSchema, RECORD_LIMITS, type RecordedExchange, RecordRefused } from './record-format.js';

const compress = promisify(gzip);
/** Smaller bodies stay as they are: gzip would gain little. */
const MIN_PACKED_BYTES = 256;
const LINE_END = Buffer.from('\n');

/**
 * Returns an exchange as its bytes in a record.
 *
 * @throws RecordRefused if a reader would refuse it, because one exchange must not cost the whole record
 */
export async function packExchange(exchange: RecordedExchange, body: Buffer): Promise<Buffer> {
  if (body.length > RECORD_LIMITS.bodyBytes) {
    throw new RecordRefused(`its body has more than ${RECORD_LIMITS.bodyBytes / 1024 / 1024} MB`);
  }
  const gz = body.length < MIN_PACKED_BYTES ? body : await compress(body, { level: 4 });
  const packed = gz.length < body.length ? gz : body;
  const { data, error } = exchangeHeadSchema.safeParse({ ...exchange, packed: packed.length, body: body.length });
  if (!data) throw new RecordRefused(`a record cannot have its \`${error.issues[0]?.path.join('.')}\``);
  const head = Buffer.from(`${JSON.stringify(data)}\n`);
  if (head.length > RECORD_LIMITS.headBytes) {
    throw new RecordRefused(`its address and headers have more than ${RECORD_LIMITS.headBytes / 1024} KB`);
  }
  return Buffer.concat([head, packed, LINE_END]);
}
